import type { Caller } from '@cardinal/contracts';
import { NIL } from 'uuid';
import { type LockedCard, lockCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';

/** What a write addresses: a card, or something that hangs on one and is written under that card's lock. */
export interface Target<Found extends { card: LockedCard }> {
  /** What a 404 calls it. */
  what: string;
  /** Locks the card, then reads what is addressed; undefined where it does not exist or the caller does not see it. */
  lock: (tx: Tx) => Promise<Found | undefined>;
  /** The version that `If-Match` is about. */
  versionOf: (found: Found) => number;
  /** Refuses by throwing where the caller sees it and may not write it. */
  permit?: (found: Found) => void;
}

/** A card. */
export const cardTarget = (request: Caller & { card_id: string }): Target<{ card: LockedCard }> => ({
  what: 'Card',
  lock: async (tx) => {
    const card = await lockCard(tx, request, request.card_id);
    return card && { card };
  },
  versionOf: ({ card }) => card.version,
});

/** A row that belongs to one card for good. */
interface RowOnCard {
  card_id: string;
  version: number;
}

/**
 * Something on a card.
 * @param find reads its row
 */
export const onCardTarget = <Row extends RowOnCard>(
  what: string,
  caller: Caller,
  find: (tx: Tx) => Promise<Row | undefined>,
): Target<{ card: LockedCard; row: Row }> => ({
  what,
  lock: async (tx) => {
    const known = await find(tx);
    // What is unknown takes the queries that what is hidden takes: how long a 404 takes tells nothing.
    const card = await lockCard(tx, caller, known?.card_id ?? NIL);
    // Again, now that nobody else can be changing it.
    const row = card && (await find(tx));
    return row && { card, row };
  },
  versionOf: ({ row }) => row.version,
});
