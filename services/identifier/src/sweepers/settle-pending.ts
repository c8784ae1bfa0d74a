import { type Sweeper, sweeper } from '@cardinal/runtime';
import type { Parts } from '../parts.ts';
import { settle } from '../protocol/settle.ts';
import { listPending, type PendingNumber } from '../store/list-pending.ts';

/** Numbers asked about in one round. */
const batch = 200;

/**
 * Asks the card service about numbers that stay pending, so that none does for ever however many messages are lost. Each
 * round goes on behind the last one and starts over at the end: numbers that nobody can settle never keep it from others.
 * @param ageMs how long a number is left to the protocol itself
 */
export const settlePending = (
  { db, bus, confirmations, logger, now }: Parts,
  { ageMs, intervalMs }: { ageMs: number; intervalMs: number },
): Sweeper => {
  let after: PendingNumber | undefined;

  const run = async () => {
    const before = new Date(now().getTime() - ageMs);
    const pending = await db.read((tx) => listPending(tx, { before, after, limit: batch }));
    after = pending.length < batch ? undefined : pending.at(-1);
    const outcomes = await Promise.allSettled(pending.map((number) => settle({ bus, confirmations }, number)));
    report(outcomes);
  };

  const report = (outcomes: PromiseSettledResult<boolean>[]) => {
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    const unknown = outcomes.filter((outcome) => outcome.status === 'fulfilled' && !outcome.value);
    if (failed.length > 0) logger.warn({ count: failed.length, err: failed[0]?.reason }, 'pending numbers not settled');
    // Some may have been confirmed between the two looks; a count that stays is a number without a card.
    if (unknown.length > 0) logger.warn({ count: unknown.length }, 'the card service does not know pending operations');
  };

  return sweeper({ name: 'settle-pending', intervalMs, run, logger });
};
