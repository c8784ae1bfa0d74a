import type { Bus } from '@cardinal/bus';
import { feedsGrew, logsGrew } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { gauge, type Logger, type Part, sweeper } from '@cardinal/runtime';
import type { Tables } from '../context.ts';
import type { createDays } from '../log/days.ts';
import { createBacklog } from './backlog.ts';
import { createLook } from './look.ts';
import { type Falls, runRound } from './round.ts';

/** Workspaces in one round, as many as the owners take. */
const workspacesAtOnce = 200;
/** Pause between two rounds at least, and at most on a busy machine, ms: what comes meanwhile shares requests and statements. */
const [restMs, maxRestMs] = [40, 200];
/** Pause between two looks at the feeds that grew, ms: what a lost nudge costs. */
const lookMs = 1_000;
/** How often a round may fail while those are found that make it fail. */
const failuresAtOnce = 10;

interface FillerContext {
  db: Database<Tables>;
  bus: Bus;
  logger: Logger;
  days: ReturnType<typeof createDays>;
  falls: Falls;
  now: () => Date;
}

/**
 * Fills the logs of all workspaces from the feeds of the owners, in any number of instances (ADR 0065): those that were
 * nudged, and those that a look each second finds behind. One round at a time; further nudges share the next one.
 */
export const startFiller = (context: FillerContext) => {
  const { db, bus, logger, days } = context;
  const backlog = createBacklog(() => rounds.nudge());

  /** Brings logs up to their feeds, in halves where that fails. @returns why some could not be, if so */
  const fill = async (ids: readonly string[], allowed: { failures: number }): Promise<unknown> => {
    try {
      const { grown, again, later } = await runRound(context, ids);
      if (grown.length > 0) bus.signal(logsGrew, { logs: grown });
      const [more, none] = [new Set(again), new Set(later)];
      for (const id of ids) {
        if (more.has(id)) backlog.again(id);
        else if (none.has(id)) backlog.later(id, false);
        else backlog.done(id);
      }
      return undefined;
    } catch (error) {
      allowed.failures -= 1;
      const half = Math.ceil(ids.length / 2);
      if (ids.length > 1 && allowed.failures > 0) {
        const first = await fill(ids.slice(0, half), allowed);
        return (await fill(ids.slice(half), allowed)) ?? first;
      }
      for (const id of ids) backlog.later(id, ids.length === 1);
      return error;
    }
  };

  const round = async (): Promise<void> => {
    await days.ahead(context.now());
    const ids = backlog.take(workspacesAtOnce);
    if (ids.length === 0) return;
    const problem = await fill(ids, { failures: failuresAtOnce });
    if (!backlog.isEmpty()) rounds.nudge();
    if (problem === undefined) return;
    days.lookAgain();
    throw problem;
  };

  const look = createLook({ db, bus, onBehind: backlog.want });
  let [lookedAt, changesBehind] = [Date.now(), 0];
  const runLook = async (): Promise<void> => {
    try {
      for (const id of await context.falls.waiting()) backlog.want(id);
      changesBehind = await look.run();
      lookedAt = Date.now();
    } finally {
      if (!backlog.isEmpty()) rounds.nudge();
    }
  };

  const rounds = sweeper({ name: 'log', intervalMs: lookMs, restMs, maxRestMs, run: round, logger });
  const looks = sweeper({ name: 'feeds', intervalMs: lookMs, run: runLook, logger });

  bus.onSignal(feedsGrew, ({ owner, workspace_ids }) => {
    if (workspace_ids === null) {
      look.all(owner);
      looks.nudge();
      return;
    }
    for (const id of workspace_ids) backlog.want(id);
    rounds.nudge();
  });

  const lag = { name: 'cardinal_log_lag_seconds', help: 'How long the log is behind the feeds, as this process knows' };
  gauge(lag, (one) => {
    const now = Date.now();
    // While an owner does not answer nobody knows what it noted.
    one.set(Math.max(now - (backlog.oldest() ?? now), now - lookedAt - 2 * lookMs, 0) / 1_000);
  });
  const lacking = {
    name: 'cardinal_log_lag_changes',
    help: 'Changes that the log lacked at the last look at the feeds',
  };
  gauge(lacking, (one) => one.set(changesBehind));

  const part: Part = {
    name: 'filler',
    stop: async () => {
      await Promise.all([rounds.stop(), looks.stop()]);
      backlog.stop();
    },
  };
  return {
    part,
    /** Looks at all feeds now. */
    lookAtAll: (): void => {
      look.all();
      looks.nudge();
    },
    /** Has a workspace pulled now. */
    want: (workspaceId: string): void => {
      backlog.want(workspaceId);
      rounds.nudge();
    },
  };
};
