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
 * Pause between two rounds: twice as long as the last one took, within these bounds, ms. Each round asks every owner, even
 * those without news. So on a busy machine, where a round takes long, more events share one.
 */
const [minRestMs, maxRestMs] = [20, 70];

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

  const filler = followFeeds({
    bus,
    logger,
    name: 'log',
    owners: feedOwners,
    grew: feedsGrew,
    restMs: (tookMs) => Math.min(Math.max(minRestMs, 2 * tookMs), maxRestMs),
    list: (owner, page) => bus.call(feedRequests[owner].list, page),
    findPositions: async (owner, ids) => {
      const logs = await db.read((tx) => findLogs(tx, ids));
      return (id) => logs.get(id)?.positions[owner];
    },
    generation: db.serverGeneration,
    waiting: rollbacks.waiting,
    bring: async (ids) => {
      await days.ahead(context.now());
      try {
        const { grown, again, later } = await runRound(context, ids);
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
