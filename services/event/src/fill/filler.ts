import type { Bus } from '@cardinal/bus';
import { feedOwners, feedRequests, feedsGrew, logsGrew } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { gauge, type Logger } from '@cardinal/runtime';
import { followFeeds } from '@cardinal/service';
import type { Tables } from '../context.ts';
import { findLogs } from '../log/append.ts';
import type { createDays } from '../log/days.ts';
import { type Rollbacks, runRound } from './round.ts';

/**
 * Pause between two rounds, ms: the least, for each event that the last round brought, for each ms that it took, and the
 * most. Few events do not wait for each other. Many share a round, which asks every owner, even those without news, and
 * a busy machine, where a round takes long, has fewer rounds.
 */
const [minRestMs, restMsAnEvent, restMsAMs, maxRestMs] = [20, 0.5, 2, 70];

interface FillerContext {
  db: Database<Tables>;
  bus: Bus;
  logger: Logger;
  days: ReturnType<typeof createDays>;
  rollbacks: Rollbacks;
  now: () => Date;
}

/** Fills the logs of all workspaces from the feeds of the owners, in any number of instances (ADR 0065). */
export const startFiller = (context: FillerContext) => {
  const { db, bus, logger, days, rollbacks } = context;
  let restMs = minRestMs;

  const filler = followFeeds({
    bus,
    logger,
    name: 'log',
    owners: feedOwners,
    grew: feedsGrew,
    restMs: () => restMs,
    list: (owner, page) => bus.call(feedRequests[owner].list, page),
    findPositions: async (owner, ids) => {
      const logs = await db.read((tx) => findLogs(tx, ids));
      return (id) => logs.get(id)?.positions[owner];
    },
    generation: db.serverGeneration,
    waiting: rollbacks.waiting,
    bring: async (ids) => {
      const beganAt = performance.now();
      await days.ahead(context.now());
      try {
        const { grown, events, again, later } = await runRound(context, ids);
        const forRound = Math.max(events * restMsAnEvent, (performance.now() - beganAt) * restMsAMs);
        restMs = Math.min(Math.max(minRestMs, forRound), maxRestMs);
        if (grown.length > 0) bus.signal(logsGrew, { logs: grown });
        return { again, later };
      } catch (error) {
        days.lookAgain();
        throw error;
      }
    },
  });

  const lag = {
    name: 'cardinal_log_lag_seconds',
    help: 'Age of the oldest change in the feeds that the log lacks, as known to this process',
  };
  gauge(lag, (one) => one.set(filler.lagSeconds()));
  const lacking = {
    name: 'cardinal_log_lag_changes',
    help: 'Changes that the log lacked at the last look at the feeds',
  };
  gauge(lacking, (one) => one.set(filler.lacking()));
  return filler;
};
