import { type Card, card as cardSchema } from '@cardinal/contracts';
import type { z } from 'zod';
import type { Parts } from '../parts.ts';
import type { LockedCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { endWrite, openCard, type Write } from './open-card.ts';
import { untilUpToDate } from './outdated.ts';
import { type Changes, storeChanges } from './store-changes.ts';
import { cardTarget, type Target } from './target.ts';

/** What a write made; `replayed` where it is the stored answer to an earlier equal command. */
export interface Outcome<Resource> {
  resource: Resource;
  replayed: boolean;
}
export type CardOutcome = Outcome<Card>;

/** The answer to a command that ended before. */
export const replayed = (response: unknown): CardOutcome => ({ resource: cardSchema.parse(response), replayed: true });

/** A write to a card or to something on it, as {@link writeOnCard} makes it. */
export interface OnCardWrite<Found extends { card: LockedCard }, Resource> {
  request: Write;
  target: Target<Found>;
  /** What the stored answer is. */
  resource: z.ZodType<Resource>;
  /** Set for a DELETE: what it deleted is no longer there to be found when it is repeated. */
  replayFirst?: boolean;
  /** Takes the locks that come before the card's in the order of all locks: those of columns and labels. */
  lockBefore?: (tx: Tx) => Promise<unknown>;
  /** Writes under the card's lock and answers; throws to refuse, or `Outdated` to start anew. */
  write: (found: Found, tx: Tx, now: Date) => Promise<Resource>;
}

/**
 * Writes in one transaction with all that belongs to it: lock, replay, precondition, the stored answer. Edits
 * that need no more than the card itself go the shorter way of `cardEditor`.
 */
export const writeOnCard = <Found extends { card: LockedCard }, Resource>(
  { db, relay }: Pick<Parts, 'db' | 'relay'>,
  { request, target, resource: schema, replayFirst = false, lockBefore, write }: OnCardWrite<Found, Resource>,
): Promise<Outcome<Resource>> =>
  untilUpToDate(async () => {
    const outcome = await db.transaction(async (tx): Promise<Outcome<Resource>> => {
      await lockBefore?.(tx);
      const opened = await openCard(tx, request, target, { replayFirst });
      if ('replay' in opened) return { resource: schema.parse(opened.replay), replayed: true };
      // After the lock, so that a later version is never of an earlier time.
      const now = new Date();
      const resource = await write(opened, tx, now);
      await endWrite(tx, request, resource, now);
      return { resource, replayed: false };
    });
    if (!outcome.replayed) relay.nudge();
    return outcome;
  });

/** One write to one card's own fields. */
export interface WriteCardOptions extends Pick<OnCardWrite<{ card: LockedCard }, Card>, 'lockBefore'> {
  request: Write & { card_id: string };
  /**
   * Decides on the card under its row lock: the columns that come out different, none where nothing changes; throws a
   * CardinalError to refuse, or `Outdated` to start anew.
   */
  change: (card: LockedCard, tx: Tx, now: Date) => Changes | Promise<Changes>;
}

/** Changes a card (see {@link writeOnCard}), with its version and its event. */
export const writeCard = (parts: Parts, { request, change, ...options }: WriteCardOptions): Promise<CardOutcome> =>
  writeOnCard(parts, {
    ...options,
    request,
    target: cardTarget(request),
    resource: cardSchema,
    write: async ({ card }, tx, now) => storeChanges(tx, card, await change(card, tx, now), now),
  });
