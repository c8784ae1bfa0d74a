import type { Card, CardinalClient } from '@cardinal/client/source';
import { ifFound, isRefused } from '../found.ts';
import { entryOf, type Journal, type JournalCard } from '../journal.ts';
import type { PlannedCard } from '../plan/cards.ts';
import type { ApplyContext } from './context.ts';
import {
  type Correction,
  correctionOf,
  type Facets,
  facetsOf,
  isUntouched,
  type LeftAs,
  type Step,
  split,
  wantedBy,
} from './facets.ts';
import { nameOf, noteCorrection, placeOf } from './outcome.ts';
import { idIn } from './workspace.ts';

/** Most times that an update begins anew because the card changed meanwhile. */
const maxTries = 5;

/** How a run left a card of its journal; undefined for a card that it did not make. */
export const leftAs = (entry: JournalCard | undefined, card: Pick<Card, CountName>): LeftAs | undefined => {
  if (!entry?.made) return undefined;
  const { version, extras } = entry.made;
  // The run did not finish the comments of this card: count those that it has.
  const added = entry.whole ? extras : card.comment_count + card.subtask_total + card.subtask_completed;
  return { version: version + added, facets: entry.left, begun: entry.begun };
};
type CountName = 'comment_count' | 'subtask_total' | 'subtask_completed';

class Stale extends Error {}

/** Changes labels or assignees of a card at a version, all in one request. @throws Stale where the card has another version */
const bulk = async (client: CardinalClient, { id, version }: Card, change: object): Promise<Card> => {
  const [item] = await client.cards.bulk({ cards: [{ card: id, version }], ...change });
  if (item?.data) return item.data;
  if (item?.error?.code === 'precondition_failed' || item?.error?.code === 'not_found') throw new Stale();
  throw new Error(item?.error?.message ?? 'no answer for the card');
};

const perform = (client: CardinalClient, card: Card, { what, after }: Step, row: PlannedCard): Promise<Card> => {
  const { labels, assignees } = facetsOf(card);
  const gone = (before: string, list: string) => split(before).filter((id) => !split(list).includes(id));
  switch (what) {
    case 'restore':
      return client.cards.restore(card);
    case 'archive':
      return client.cards.archive(card);
    case 'move':
      return client.cards.move(card, { column_id: after.column });
    case 'edit':
      return client.cards.update(card, editOf(facetsOf(card), after, row));
    case 'remove_labels':
    case 'add_labels': {
      const ids = what === 'add_labels' ? gone(after.labels, labels) : gone(labels, after.labels);
      return bulk(client, card, { [what]: ids });
    }
    default: {
      const ids = what === 'add_assignees' ? gone(after.assignees, assignees) : gone(assignees, after.assignees);
      return bulk(client, card, { [what]: ids });
    }
  }
};

/** The body of the edit that a step makes. */
const editOf = (before: Facets, after: Facets, { fields, completed_at }: PlannedCard) => ({
  ...(before.title !== after.title && { title: fields.title }),
  ...(before.description !== after.description && { description: fields.description || null }),
  ...(before.due_date !== after.due_date && { due_date: fields.due_date ?? null }),
  ...(before.priority !== after.priority && { priority: fields.priority ?? null }),
  ...(before.completed !== after.completed && { completed: completed_at !== null }),
});

/**
 * Updates a card that a row describes, if nobody has touched it since the run left it (`correctionOf`). Each step names the
 * version that it changes. A run that was killed, or another one at the same time, leaves a state that this one continues from.
 * @param known the card as it was read before
 * @returns what became of it; `due` for a card that was updated, undefined for one that was deleted meanwhile
 */
const updateCard = async (
  client: CardinalClient,
  journal: Journal,
  { row, known, wanted, board }: { row: PlannedCard; known: Card; wanted: Facets; board: string },
): Promise<Correction | undefined> => {
  const made = leftAs(journal.cards.get(row.name), known);
  // Comments that this run just added are not in what it knew.
  const isOlder = made !== undefined && known.version < made.version;
  let card = isOlder ? await ifFound(client.cards.get(known.id)) : known;
  if (!card) return undefined;
  let due: Correction | undefined;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const left = leftAs(journal.cards.get(row.name), card);
    const correction = correctionOf(left, card, wanted);
    if (correction.state !== 'due') {
      const isOurs = due?.state === 'due' && !due.isPartOf && correction.state === 'unchanged';
      return isOurs ? due : correction;
    }
    due ??= correction;
    try {
      const isMidway = !correction.isPartOf && (left?.facets === undefined || left.version !== card.version);
      if (isMidway)
        await journal.append({ cards: [entryOf(row, { ...card, extras: 0, facets: facetsOf(card), board: '' })] });
      // Written before the first effect: the next run continues from whichever step this one reached.
      await journal.append({ updating: [row.name, wanted] });
      let now: Card = card;
      for (const step of correction.steps) now = await perform(client, now, step, row);
      if (correction.isPartOf) return { state: 'left', fields: correction.fields };
      await journal.append({ cards: [entryOf(row, { ...now, extras: 0, facets: facetsOf(now), board })] });
      return correction;
    } catch (error) {
      if (!(error instanceof Stale) && !isRefused(error, 'precondition_failed', 'not_found')) throw error;
      card = await ifFound(client.cards.get(known.id));
      if (!card) return undefined;
    }
  }
  return { state: 'left', fields: due?.state === 'due' ? due.fields : [] };
};

/** Brings a card that is already there in line with its row, if this run made it and nobody has touched it since. */
export const correct = async (row: PlannedCard, context: ApplyContext): Promise<void> => {
  const { client, journal, met, outcome, board } = context;
  const entry = journal.cards.get(row.name);
  const known = entry && (await met.cardOf(entry.id, row.prefix));
  if (!entry || !known) return;
  const note = (correction: Correction) => noteCorrection(outcome, known, correction, entry.made !== undefined);
  const left = leftAs(entry, known);
  const foreseen = wantedBy(row, await context.ids(), entry, board);
  const correction = correctionOf(left, known, foreseen);
  const isOlder = left !== undefined && known.version < left.version;
  if (correction.state !== 'due' && !isOlder) {
    // The run was killed before it wrote that the update is done.
    const isDone = left !== undefined && left.version !== known.version && isUntouched(left, known, foreseen);
    if (isDone)
      await journal.append({ cards: [entryOf(row, { ...known, extras: 0, facets: facetsOf(known), board })] });
    return note(correction);
  }
  // Columns and labels are created for a card that is updated alone.
  const target = await context.target();
  const ids = {
    column: (name: string) => idIn(target.columns, name),
    label: (name: string) => idIn(target.labels, name),
  };
  try {
    const wanted = wantedBy(row, ids, entry, board);
    const done = await updateCard(client, journal, { row, known, board, wanted });
    if (done) return note(done);
    outcome.alreadyThere -= 1;
    outcome.refused.push({ place: placeOf(row), problem: 'its card was deleted meanwhile' });
  } catch (error) {
    if (!isRefused(error, 'conflict', 'validation_error')) throw error;
    outcome.left.push({ name: nameOf(known), fields: [], why: error.message });
  }
};
