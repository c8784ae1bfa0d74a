import { randomUUID } from 'node:crypto';
import { type Card, type CardinalClient, writeFresh } from '@cardinal/client/source';
import type { CardToAdopt, CreateCardBody } from '@cardinal/contracts';
import { CliError } from '../../errors.ts';
import { forEachConcurrently } from '../concurrently.ts';
import { ifFound, isRefused } from '../found.ts';
import { entryOf, marksOf } from '../journal.ts';
import type { PlannedCard } from '../plan/cards.ts';
import { keyOf } from '../plan/identity.ts';
import { adoptInOrder, batches } from './batches.ts';
import type { ApplyContext } from './context.ts';
import { extrasOf, makeExtras } from './extras.ts';
import { facetsOf } from './facets.ts';
import { noteExtras, placeOf } from './outcome.ts';
import { correct } from './update.ts';
import { idIn, type Target } from './workspace.ts';

const isThere = async (client: CardinalClient, id: string): Promise<boolean> =>
  (await ifFound(client.cards.get(id))) !== undefined;

const cardToAdopt = (card: PlannedCard, target: Target): CardToAdopt => ({
  number: card.identity?.number ?? 0,
  ...(card.former.length > 0 && { former: card.former.map(({ key }) => key) }),
  column_id: idIn(target.columns, card.column),
  ...card.fields,
  completed_at: card.completed_at,
  archived_at: card.archived_at,
  ...(card.created_at !== null && { created_at: card.created_at }),
  ...(card.creator !== null && { created_by: card.creator }),
  assignee_user_ids: card.assignees,
  label_ids: card.labels.map((name) => idIn(target.labels, name)),
});

const detailOf = (details: unknown) =>
  details !== null && typeof details === 'object' && 'card_id' in details ? String(details.card_id) : undefined;

/**
 * Adopts cards. A card whose answer was lost is sent again under the same key, and has the same answer. A card that was refused,
 * or that other cards of its batch preceded, is sent under a new key. The last row of the file is then on top.
 */
const adopt = async (prefix: string, cards: PlannedCard[], again: boolean, context: ApplyContext): Promise<void> => {
  const { client, journal, met, outcome, board } = context;
  const target = await context.target();
  const sent = cards.map((card) => cardToAdopt(card, target));
  await journal.append({ asked: cards.map(({ name, identity }) => [name, identity?.key ?? '']) });
  const idempotencyKey = keyOf(
    'adopt',
    journal.run,
    prefix,
    JSON.stringify({ cards: sent.toReversed() }),
    again ? randomUUID() : '',
  );
  const answers = await adoptInOrder(client, idIn(target.workstreams, prefix), sent, { idempotencyKey });
  const made: [string, string, number, number, ...string[]][] = [];
  const there: [string, string, ...string[]][] = [];
  const refused: string[] = [];
  for (const [n, card] of cards.entries()) {
    const answer = answers[n];
    if (answer?.data) {
      made.push(entryOf(card, { ...answer.data, extras: extrasOf(card), facets: facetsOf(answer.data), board }));
      continue;
    }
    // Another run was faster.
    const other = detailOf(answer?.error?.details);
    if (other !== undefined && (await met.isOwn(card, other))) there.push([card.name, other, ...marksOf(card)]);
    else {
      refused.push(card.name);
      outcome.refused.push({ place: placeOf(card), problem: answer?.error?.message ?? `${answer?.status}` });
    }
  }
  if (made.length > 0) await journal.append({ cards: made });
  if (there.length > 0) await journal.append({ there });
  if (refused.length > 0) await journal.append({ refused });
  outcome.created += made.length;
  outcome.alreadyThere += there.length;
  outcome.unchanged += there.length;
};

/**
 * Creates the card of a row. Two concurrent runs create it once; a card that was deleted since is created again.
 * @returns the card, and whether another run made it
 */
const createOnce = async (
  client: CardinalClient,
  columnId: string,
  body: CreateCardBody,
  { name, place }: PlannedCard,
  run: string,
): Promise<{ card: Card; isOld: boolean }> => {
  for (const attempt of [[], [run], [run, randomUUID()]]) {
    let isOld = false;
    const card = await client.cards.create(columnId, body, {
      idempotencyKey: keyOf('card', columnId, place.file, name, ...attempt),
      onReply: (reply) => {
        isOld = reply.replayed;
      },
    });
    if (!isOld || (await isThere(client, card.id))) return { card, isOld };
  }
  throw new Error('a new key was answered as an old one');
};

/** Creates a card with a new number. Its creation date is today; of its past only the states (completed, archived) are kept. */
const create = async (card: PlannedCard, context: ApplyContext): Promise<void> => {
  const { client, journal, outcome, board } = context;
  try {
    const target = await context.target();
    const body = {
      ...card.fields,
      ...(card.prefix !== undefined && { workstream_id: idIn(target.workstreams, card.prefix) }),
      ...(card.labels.length > 0 && { label_ids: card.labels.map((name) => idIn(target.labels, name)) }),
      ...(card.assignees.length > 0 && { assignee_user_ids: card.assignees }),
    };
    const column = idIn(target.columns, card.column);
    const created = await createOnce(client, column, body, card, journal.run);
    let made = created.card;
    // A replay answers with the first state of the card.
    const fresh = () => client.cards.get(made.id);
    if (card.completed_at !== null)
      made = await writeFresh(fresh, (one) => client.cards.update(one, { completed: true }));
    if (card.archived_at !== null) made = await writeFresh(fresh, (one) => client.cards.archive(one));
    await journal.append({
      cards: [entryOf(card, { ...made, extras: extrasOf(card), facets: facetsOf(made), board })],
    });
    if (!created.isOld) outcome.created += 1;
    else {
      outcome.alreadyThere += 1;
      outcome.unchanged += 1;
    }
  } catch (error) {
    if (!isRefused(error, 'conflict', 'validation_error', 'idempotency_key_reused')) throw error;
    const other = error.code === 'idempotency_key_reused';
    const problem = other ? 'another run made a card of it with other options' : error.message;
    outcome.refused.push({ place: placeOf(card), problem });
  }
};

/** Returns the cards of a batch that are still to be created, and those that are there, which it writes to the journal. */
const judged = async (cards: PlannedCard[], { met, journal, outcome, board }: ApplyContext) => {
  const left: PlannedCard[] = [];
  const there: PlannedCard[] = [];
  for (const card of cards) {
    const verdict = await met.judge(card);
    if (verdict.state === 'new') left.push(card);
    else if (verdict.state === 'refused') outcome.refused.push({ place: placeOf(card), problem: verdict.problem });
    else {
      outcome.alreadyThere += 1;
      there.push(card);
      const { name, former } = card;
      if (journal.cards.has(name)) continue;
      // The run was killed before it had the answer: the card exists, with a version for each identifier.
      const isOfRun = journal.asked.get(name) === card.identity?.key;
      const version = former.length + 1;
      if (isOfRun)
        await journal.append({
          cards: [entryOf(card, { id: verdict.id, version, extras: extrasOf(card), facets: undefined, board })],
        });
      else await journal.append({ there: [[name, verdict.id, ...marksOf(card)]] });
    }
  }
  return { left, there };
};

/** Creates comments and subtasks of a card; a card that was deleted meanwhile counts as refused. */
const addExtras = async (card: PlannedCard, isNew: boolean, context: ApplyContext): Promise<void> => {
  const { client, journal, outcome } = context;
  const entry = journal.cards.get(card.name);
  if (!entry || entry.whole || extrasOf(card) === 0) return;
  try {
    await makeExtras(client, entry.id, card, isNew && entry.made !== undefined);
    await journal.append({ whole: card.name });
  } catch (error) {
    if (!isRefused(error, 'not_found', 'conflict')) throw error;
    const isGone = !(await isThere(client, entry.id));
    if (isGone && isNew) outcome.created -= 1;
    else if (isGone) outcome.alreadyThere -= 1;
    const problem = isGone ? 'its card was deleted meanwhile' : `its comments and subtasks: ${error.message}`;
    outcome.refused.push({ place: placeOf(card), problem });
  }
};

const make = async (cards: [PlannedCard, ...PlannedCard[]], context: ApplyContext): Promise<void> => {
  const { journal } = context;
  const { left, there } = await judged(cards, context);
  const [{ prefix = '', identity }] = cards;
  if (!identity) {
    const turn = context.numbered.then(async () => {
      for (const card of left) if (!context.isStopped()) await create(card, context);
    });
    context.numbered = turn.catch(() => {});
    await turn;
  } else if (left.length > 0) {
    const again = left.length < cards.length || left.some(({ name }) => journal.refused.has(name));
    await adopt(prefix, left, again, context);
  }
  for (const card of there) {
    const entry = journal.cards.get(card.name);
    const known = entry && (await context.met.cardOf(entry.id, card.prefix));
    if (known) noteExtras(context.outcome, known, card, entry);
  }
  for (const card of cards) await addExtras(card, left.includes(card), context);
  await forEachConcurrently(there, context, (card) => correct(card, context));
};

/**
 * Creates the cards of a plan with their comments and subtasks, several batches at a time.
 * @throws Stopped after the batches under way; CliError if a workstream no longer adopts cards
 */
export const makeCards = async (cards: AsyncIterable<PlannedCard>, context: ApplyContext): Promise<void> => {
  const groupOf = ({ prefix, identity }: PlannedCard) => `${prefix ?? ''} ${identity !== undefined}`;
  const sizeOf = ({ fields, former, assignees, labels }: PlannedCard) => ({
    ...fields,
    names: former.length + assignees.length + labels.length,
  });
  await forEachConcurrently(batches(cards, groupOf, sizeOf), context, async (batch) => {
    try {
      await make(batch, context);
    } catch (error) {
      if (!isRefused(error, 'conflict')) throw error;
      throw new CliError(`${batch[0].prefix ?? 'the default workstream'}: ${error.message}`, { cause: error });
    }
  });
};
