import type { Event } from '@cardinal/contracts';
import { failpoint, type Logger, sweeper } from '@cardinal/runtime';
import type { Database } from './database.ts';
import { leaseEvents, markPublished, reopenOutbox } from './outbox.ts';

/** Options of {@link startRelay}. */
export interface RelayOptions<Tables> {
  db: Database<Tables>;
  /** Hands one event to the broker; resolves when the broker has stored it. */
  publish: (event: Event) => Promise<void>;
  logger: Logger;
  /** Pause between two looks at the outbox without a nudge, in milliseconds; 1,000 by default. */
  pollMs?: number;
  /** How long an event is left to the relay that took it, in milliseconds; 10,000 by default. */
  leaseMs?: number;
}

export type Relay = ReturnType<typeof startRelay>;

const batchSize = 200;
/**
 * Pause between two looks that were nudged: writes that commit meanwhile share their statements. No reader waits for
 * it: the writer has handed over what a client reads next.
 */
const restMs = 25;
/** How far back a nudged look goes: longer than a transaction takes from making its events to its commit. */
const recentMs = 1_000;

/**
 * Publishes every committed event at least once, in the order of ids within a batch. Any number of instances may run on
 * one outbox. No transaction is open while it publishes.
 */
export function startRelay<Tables>(options: RelayOptions<Tables>) {
  const { db, publish, logger, pollMs = 1_000, leaseMs = 10_000 } = options;
  let stopped = false;
  let lookedThroughAt = 0;

  const drain = async (): Promise<void> => {
    const through = Date.now() - lookedThroughAt >= pollMs;
    if (through) lookedThroughAt = Date.now();
    let failure: PromiseRejectedResult | undefined;
    while (!stopped) {
      const since = through ? undefined : new Date(Date.now() - recentMs);
      const lease = await leaseEvents(db, { limit: batchSize, leaseMs, since });
      const { events } = lease;
      if (events.length === 0) break;
      const results = await Promise.allSettled(events.map(async (event) => publish(event)));
      failpoint('between-publish-and-mark');
      const published = events.filter((_, at) => results[at]?.status === 'fulfilled');
      await markPublished(db, published, lease);
      failure ??= results.find((result) => result.status === 'rejected');
      // What has come since is nudged for; where nothing was taken, nothing is for now.
      if (events.length < batchSize || published.length === 0) break;
    }
    if (failure) throw new Error('events wait in the outbox: publishing fails', { cause: failure.reason });
  };

  const relaying = sweeper({ name: 'outbox-relay', intervalMs: pollMs, restMs, run: drain, logger });

  return {
    /** Publishes what was appended just now: call it after a commit that appended events. */
    nudge: relaying.nudge,
    /** Publishes everything again that the outbox still holds, for a broker that lost it. */
    refill: async (): Promise<void> => {
      const events = await reopenOutbox(db);
      if (events > 0) logger.warn({ events }, 'the broker lost its events: those of the outbox are published again');
      lookedThroughAt = 0;
      relaying.nudge();
    },
    /** Finishes the batch in hand and takes no further one. */
    stop: async (): Promise<void> => {
      stopped = true;
      await relaying.stop();
    },
  };
}
