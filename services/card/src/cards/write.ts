import { type Caller, type Card, card as cardSchema, type EventType } from '@cardinal/contracts';
import type { Outcome } from '@cardinal/db';
import { runWrite, type Target, type WriteRequest } from '@cardinal/service';
import { NIL } from 'uuid';
import type { ServiceContext } from '../context.ts';
import { cards, type Tables, type Tx } from '../database.ts';
import { eventOf } from '../events.ts';
import { type LockedCard, lockCard, toCard } from './queries.ts';
import { checkWritable } from './rules.ts';

/** The target of a write under a card's lock, with the target's version. */
interface OnCard {
  version: number;
  card: LockedCard;
}

/** Makes the fields of an event that name its card and its board. */
export const onCard = ({ id, identifier, board_id }: Pick<Card, 'id' | 'identifier' | 'board_id'>) => ({
  card: { id, identifier },
  boardId: board_id,
});

export type CardOutcome = Outcome<Card>;

/** Makes the outcome of a replay from a stored answer. */
export const replayed = (response: unknown): CardOutcome => ({ resource: cardSchema.parse(response), replayed: true });

/** Makes the target of a write on a card. The write is a 409 where the card's board is deleted. */
export const cardTarget = (request: Caller & { card_id: string }): Target<Tables, OnCard> => ({
  what: 'Card',
  lock: async (tx) => {
    const card = await lockCard(tx, request, request.card_id);
    return card && { card, version: card.version };
  },
  check: ({ card }) => checkWritable(card),
});

/**
 * Makes the target of a write on a part of a card, such as a comment. The write is a 409 where the card's board is
 * deleted.
 * @param what the kind of the part, for errors
 * @param find reads the row of the part
 */
export const onCardTarget = <Row extends { card_id: string; version: number }>(
  what: string,
  caller: Caller,
  find: (tx: Tx) => Promise<Row | undefined>,
): Target<Tables, OnCard & { row: Row }> => ({
  what,
  lock: async (tx) => {
    const known = await find(tx);
    // Hidden and unknown cards take the same queries, so their timing does not differ.
    const card = await lockCard(tx, caller, known?.card_id ?? NIL);
    // The second read is under the lock, where the row no longer changes.
    const row = card && (await find(tx));
    return row && { card, row, version: row.version };
  },
  check: ({ card }) => checkWritable(card),
  within: ({ card }) => card.id,
});

/** The columns that a write sets. Version and time of the update follow from them. */
export type Changes = Parameters<typeof cards.update>[2];

type ChangeSteps<Held> = [
  change: (tx: Tx, card: LockedCard, held: Held) => Changes | Promise<Changes>,
  lockBefore?: (tx: Tx) => Promise<Held>,
];

/**
 * Changes a card under its lock. `cardEditor` is faster for edits that need the card's row alone.
 * @param type the type of the event
 * @param change returns the columns that change, if any; throws as `write` of `runWrite` does
 * @param lockBefore takes the locks that precede the card's
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

/** Changes assignees or labels of a card to a desired state (CONTRACT 6.4). @returns the card */
export const setOnCard = async <Held>(
  context: ServiceContext,
  request: WriteRequest & Caller & { card_id: string },
  ...change: ChangeSteps<Held>
): Promise<Card> => (await writeCard(context, request, 'card.updated', ...change)).resource;

/**
 * Updates a locked card and raises its version by one. Where no column changes, the row stays as it is
 * (CONTRACT 3.3).
 * @param card the card before the update
 * @returns the card after the update
 */
export const storeChanges = async (tx: Tx, card: LockedCard, changes: Changes, now: Date): Promise<Card> =>
  toCard({ ...card, ...(await cards.update(tx, card, changes, now)) });
