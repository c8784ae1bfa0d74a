import { randomUUID } from 'node:crypto';
import { type Card, type CardinalClient, CardinalError, writeFresh } from '@cardinal/client/source';
import type { CreateCardBody } from '@cardinal/contracts';
import { CliError } from '../../errors.ts';
import { forEachConcurrently } from '../concurrently.ts';
import { ifFound } from '../found.ts';
import type { PlannedCard } from '../plan/cards.ts';
import { keyOf } from '../plan/identity.ts';
import { type Batch, batches, cardToAdopt, idIn } from './batches.ts';
import { extrasOf, makeExtras } from './extras.ts';
import type { Journal } from './journal.ts';
import { adoptedId, type Target, timeOfId } from './workspace.ts';

/** How far a run is, and what went otherwise than planned. */
export interface Outcome {
  created: number;
  /** Made by an earlier run, or by another import of the same row. */
  alreadyThere: number;
  refused: { place: string; problem: string }[];
}

export interface ApplyContext {
  client: CardinalClient;
  journal: Journal;
  target: Target;
  workspace: string;
  outcome: Outcome;
  /** Ends when the cards are made that got new numbers so far: they are numbered in the order of their rows. */
  numbered: Promise<unknown>;
}

const placeOf = ({ place, identity }: PlannedCard) =>
  `${place.file}:${place.line}${identity ? ` (${identity.key})` : ''}`;

/** Whether a card that has one of the identifiers is what another import of the same row made. */
const isOwn = (card: PlannedCard, cardId: string, { workspace, target }: ApplyContext): boolean => {
  if (!card.identity) return false;
  const created =
    card.created_at === null ? timeOfId(idIn(target.workstreams, card.identity.prefix)) : Date.parse(card.created_at);
  return adoptedId(workspace, card.identity.key, created) === cardId;
};

const isThere = async (client: CardinalClient, id: string): Promise<boolean> =>
  (await ifFound(client.cards.get(id))) !== undefined;

const detailOf = (details: unknown) =>
  details !== null && typeof details === 'object' && 'card_id' in details ? String(details.card_id) : undefined;

/**
 * Adopts cards. One whose answer was lost is sent again under the same key, and answered the same; one that was refused,
 * or comes after others of its batch, is asked for anew. The last row of the file comes to stand on top.
 */
const adopt = async (prefix: string, cards: PlannedCard[], again: boolean, context: ApplyContext): Promise<void> => {
  const { client, journal, target, outcome } = context;
  const listed = cards.toReversed();
  const body = { cards: listed.map((card) => cardToAdopt(card, target)) };
  const idempotencyKey = keyOf('adopt', journal.run, prefix, JSON.stringify(body), again ? randomUUID() : '');
  const answers = await client.cards.adopt(idIn(target.workstreams, prefix), body, { idempotencyKey });
  const made: [string, string, number, number][] = [];
  const there: [string, string][] = [];
  const refused: string[] = [];
  for (const [n, answer] of answers.toReversed().entries()) {
    const card = cards[n];
    if (!card) throw new Error(`${answers.length} answers to ${listed.length} cards`);
    if (answer.data) {
      made.push([card.name, answer.data.id, answer.data.version, extrasOf(card)]);
      continue;
    }
    const other = detailOf(answer.error?.details);
    const own = other !== undefined && isOwn(card, other, context);
    if (own && (await isThere(client, other))) there.push([card.name, other]);
    else {
      refused.push(card.name);
      const deleted = 'its card was deleted, and its identifier is never given again';
      const problem = own ? deleted : (answer.error?.message ?? `${answer.status}`);
      outcome.refused.push({ place: placeOf(card), problem });
    }
  }
  if (made.length > 0) await journal.append({ cards: made });
  if (there.length > 0) await journal.append({ there });
  if (refused.length > 0) await journal.append({ refused });
  outcome.created += made.length;
  outcome.alreadyThere += there.length;
};

/** Creates a card of a row, which two runs at once create once; one that an undo deleted is created anew. */
const createOnce = async (
  client: CardinalClient,
  columnId: string,
  body: CreateCardBody,
  [name, run]: [name: string, run: string],
): Promise<Card> => {
  let replayed = false;
  const created = await client.cards.create(columnId, body, {
    idempotencyKey: keyOf('card', columnId, name),
    onReply: (reply) => {
      replayed = reply.replayed;
    },
  });
  if (!replayed || (await isThere(client, created.id))) return created;
  return client.cards.create(columnId, body, { idempotencyKey: keyOf('card', columnId, name, run) });
};

const aboutTheRow = ['conflict', 'validation_error', 'idempotency_key_reused'];

/** A card that the default workstream numbers. It is created today; what is past of it is only that it is past. */
const create = async (card: PlannedCard, { client, journal, target, outcome }: ApplyContext): Promise<void> => {
  try {
    const body = {
      ...card.fields,
      ...(card.labels.length > 0 && { label_ids: card.labels.map((name) => idIn(target.labels, name)) }),
      ...(card.assignees.length > 0 && { assignee_user_ids: card.assignees }),
    };
    const column = idIn(target.columns, card.column);
    let made = await createOnce(client, column, body, [card.name, journal.run]);
    // A replay answers what the card was at first.
    const fresh = () => client.cards.get(made.id);
    if (card.completed_at !== null)
      made = await writeFresh(fresh, (one) => client.cards.update(one, { completed: true }));
    if (card.archived_at !== null) made = await writeFresh(fresh, (one) => client.cards.archive(one));
    await journal.append({ cards: [[card.name, made.id, made.version, extrasOf(card)]] });
    outcome.created += 1;
  } catch (error) {
    if (!(error instanceof CardinalError) || !aboutTheRow.includes(error.code)) throw error;
    const other = error.code === 'idempotency_key_reused';
    const problem = other ? 'another run made a card of it with other options' : error.message;
    outcome.refused.push({ place: placeOf(card), problem });
  }
};

const make = async ({ prefix, cards }: Batch, context: ApplyContext, isStopped: () => boolean): Promise<void> => {
  const { journal, client, outcome } = context;
  const left = cards.filter(({ name }) => !journal.cards.has(name));
  outcome.alreadyThere += cards.length - left.length;
  if (prefix === undefined) {
    const turn = context.numbered.then(async () => {
      for (const card of left) if (!isStopped()) await create(card, context);
    });
    context.numbered = turn.catch(() => {});
    await turn;
  } else if (left.length > 0) {
    const again = left.length < cards.length || left.some(({ name }) => journal.refused.has(name));
    await adopt(prefix, left, again, context);
  }
  for (const card of cards) {
    const entry = journal.cards.get(card.name);
    if (!entry || entry.whole || extrasOf(card) === 0) continue;
    const isNew = entry.made !== undefined && left.includes(card);
    await makeExtras(client, journal, card, { id: entry.id, isNew });
  }
};

/**
 * Makes the cards of a plan with their comments and subtasks, several batches at a time.
 * @param isStopped once it says so, the batches in hand are finished and no other is begun
 * @throws CliError where a workstream no longer takes cards with numbers of their own
 */
export const makeCards = async (
  cards: AsyncIterable<PlannedCard>,
  context: ApplyContext,
  { concurrency, isStopped }: { concurrency: number; isStopped: () => boolean },
): Promise<void> => {
  await forEachConcurrently(batches(cards), { concurrency, isStopped }, async (batch) => {
    try {
      await make(batch, context, isStopped);
    } catch (error) {
      if (!(error instanceof CardinalError) || error.code !== 'conflict') throw error;
      throw new CliError(`${batch.prefix ?? 'the default workstream'}: ${error.message}`, { cause: error });
    }
  });
};
