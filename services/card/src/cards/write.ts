import { type Caller, type Card, card as cardSchema, type EventType } from '@cardinal/contracts';
import type { Outcome } from '@cardinal/db';
import { runWrite, type Target, type WriteRequest } from '@cardinal/service';
import { NIL } from 'uuid';
import type { ServiceContext } from '../context.ts';
import { cards, type Tables, type Tx } from '../database.ts';
import { eventOf } from '../events.ts';
import { type LockedCard, lockCard, toCard } from './queries.ts';
import { checkWritable } from './rules.ts';

/** Something that is written under a card's lock; the version is that of what is addressed. */
interface OnCard {
  version: number;
  card: LockedCard;
}

/** Where something happened that happened on a card. */
export const onCard = ({ id, identifier, board_id }: Pick<Card, 'id' | 'identifier' | 'board_id'>) => ({
  card: { id, identifier },
  boardId: board_id,
});

export type CardOutcome = Outcome<Card>;

/** The answer to a command that ended before. */
export const replayed = (response: unknown): CardOutcome => ({ resource: cardSchema.parse(response), replayed: true });

/** A card. 409 where its board is deleted. */
export const cardTarget = (request: Caller & { card_id: string }): Target<Tables, OnCard> => ({
  what: 'Card',
  lock: async (tx) => {
    const card = await lockCard(tx, request, request.card_id);
    return card && { card, version: card.version };
  },
  check: ({ card }) => checkWritable(card),
});

/** Something that belongs to one card for good. 409 where the card's board is deleted. @param find reads its row */
export const onCardTarget = <Row extends { card_id: string; version: number }>(
  what: string,
  caller: Caller,
  find: (tx: Tx) => Promise<Row | undefined>,
): Target<Tables, OnCard & { row: Row }> => ({
  what,
  lock: async (tx) => {
    const known = await find(tx);
    // An unknown card takes the same queries as a hidden one, so timing does not differ.
    const card = await lockCard(tx, caller, known?.card_id ?? NIL);
    // Read again under the lock, when it can no longer change.
    const row = card && (await find(tx));
    return row && { card, row, version: row.version };
  },
  check: ({ card }) => checkWritable(card),
});

/** Columns that one write sets; the version and the time of the update follow from it. */
export type Changes = Parameters<typeof cards.update>[2];

type ChangeSteps<Held> = [
  change: (tx: Tx, card: LockedCard, held: Held) => Changes | Promise<Changes>,
  lockBefore?: (tx: Tx) => Promise<Held>,
];

/**
 * Changes a card under its lock. Edits that need only the card itself take the shorter way of `cardEditor`.
 * @param type what followers hear of it
 * @param change answers the columns that change, if any; throws as `write` does
 */
export const writeCard = <Held>(
  context: ServiceContext,
  request: WriteRequest & Caller & { card_id: string },
  type: EventType,
  ...[change, lockBefore]: ChangeSteps<Held>
): Promise<CardOutcome> =>
  runWrite(context, request, {
    ...cardTarget(request),
    ...(lockBefore && { lockBefore }),
    write: async (tx, { card }, now, held) => storeChanges(tx, card, await change(tx, card, held), now),
    event: ({ card }, data, now) =>
      eventOf(type, request, now, {
        ...onCard(data),
        otherBoardId: card.board_id === data.board_id ? null : card.board_id,
        before: toCard(card),
        data,
      }),
  });

/** Marks a card, or takes a mark off it, as a desired state, which is answered with the card alone. */
export const setOnCard = async <Held>(
  context: ServiceContext,
  request: WriteRequest & Caller & { card_id: string },
  ...change: ChangeSteps<Held>
): Promise<Card> => (await writeCard(context, request, 'card.updated', ...change)).resource;

/**
 * Changes a locked card and raises its version by one. Where no column changes, the card stays as it is (CONTRACT 3.3).
 */
export const storeChanges = async (tx: Tx, card: LockedCard, changes: Changes, now: Date): Promise<Card> =>
  toCard({ ...card, ...(await cards.update(tx, card, changes, now)) });
