import { type Card, card as cardSchema } from '@cardinal/contracts';
import type { Parts } from '../parts.ts';
import type { LockedCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { type CardWrite, openCard } from './open-card.ts';
import { type Changes, storeChanges } from './store-changes.ts';

/** A card after a write; `replayed` where it is the stored answer to an earlier equal command. */
export interface CardOutcome {
  resource: Card;
  replayed: boolean;
}

/** The answer to a command that ended before. */
export const replayed = (response: unknown): CardOutcome => ({ resource: cardSchema.parse(response), replayed: true });

/** One write to one card that needs no new identifier. */
export interface WriteCardOptions {
  request: CardWrite;
  /**
   * Decides on the card under its row lock: the columns that come out different, none where nothing changes; throws a
   * CardinalError to refuse, or `Busy` to be tried again from the start.
   */
  change: (card: LockedCard, tx: Tx, now: Date) => Changes | Promise<Changes>;
  /** Takes the locks that come before the card's in the order of all locks: those of columns. */
  lockBefore?: (tx: Tx) => Promise<unknown>;
}

/**
 * Changes a card in one transaction, with all that belongs to it: lock, replay, help for a pending operation,
 * precondition, the change, its version, its event and its stored answer.
 */
export const writeCard = (
  { db, relay, allocation }: Parts,
  { request, change, lockBefore }: WriteCardOptions,
): Promise<CardOutcome> =>
  allocation.helping(async () => {
    const outcome = await db.transaction(async (tx): Promise<CardOutcome> => {
      const now = new Date();
      await lockBefore?.(tx);
      const opened = await openCard(tx, request, now);
      if ('replay' in opened) return replayed(opened.replay);
      const changes = await change(opened.card, tx, now);
      return { resource: await storeChanges(tx, request, opened.card, changes, now), replayed: false };
    });
    if (!outcome.replayed) relay.nudge();
    return outcome;
  });
