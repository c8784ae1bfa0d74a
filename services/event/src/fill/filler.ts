import type { Bus } from '@cardinal/bus';
import { type FeedHead, type FeedOwner, feedOwners, feedRequests, feedsGrew, logsGrew } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { gauge, type Logger, type Part, sweeper } from '@cardinal/runtime';
import type { z } from 'zod';
import type { Tables } from '../context.ts';
import { findLogs } from '../log/append.ts';
import type { createDays } from '../log/days.ts';
import { type Falls, runRound } from './round.ts';

/** Workspaces in one round, as many as the owners take. */
const workspacesAtOnce = 200;
/** Pause between two looks at the feeds that grew, ms: what a lost nudge costs. */
const lookMs = 1_000;
/** The first pause before a workspace is asked again of which nothing could be appended yet, ms; doubled each time. */
const firstWaitMs = 4;
/**
 * A change is noted before its transaction commits. A look sees what was noted so long before the last one, in
 * microseconds: longer than the database lets a transaction idle.
 */
const overlap = 10_000_000;

interface FillerContext {
  db: Database<Tables>;
  bus: Bus;
  logger: Logger;
  days: ReturnType<typeof createDays>;
  falls: Falls;
  now: () => Date;
}

type FeedPage = z.output<(typeof feedRequests)[FeedOwner]['list']['reply']>;

export type Filler = ReturnType<typeof startFiller>;

/**
 * Fills the logs of all workspaces from the feeds of the owners, in any number of instances (ADR 0065): those that were
 * nudged, and those that a look each second finds behind.
 */
export const startFiller = (context: FillerContext) => {
  const { db, bus, logger, days } = context;
  /** Workspaces that wait for a round, the longest known first, with the time since when they are known to be behind. */
  const behind = new Map<string, number>();
  const want = (ids: readonly string[], since = Date.now()) => {
    for (const id of ids) behind.set(id, Math.min(since, behind.get(id) ?? since));
  };

  /** Pauses of workspaces of which a round could append nothing yet, ms, and what ends them. */
  const waits = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const postpone = (id: string, since: number | undefined) => {
    const wait = Math.min((waits.get(id) ?? firstWaitMs / 2) * 2, lookMs);
    waits.set(id, wait);
    const timer = setTimeout(() => {
      timers.delete(timer);
      want([id], since);
      rounds.nudge();
    }, wait);
    timers.add(timer);
  };

  let inHand: [string, number][] = [];
  let failures = 0;
  const round = async (): Promise<void> => {
    await days.ahead(context.now());
    // Fewer where rounds fail, so that a workspace that cannot be pulled holds up the others no longer than that.
    const batch = [...behind].slice(0, Math.max(1, workspacesAtOnce >> failures));
    if (batch.length === 0) return;
    inHand = batch;
    for (const [id] of batch) behind.delete(id);
    try {
      const { grown, again, later } = await runRound(
        context,
        batch.map(([id]) => id),
      );
      failures = 0;
      if (grown.length > 0) bus.signal(logsGrew, { logs: grown });
      want(again);
      for (const { workspace_id } of grown) waits.delete(workspace_id);
      for (const id of later) postpone(id, batch.find(([one]) => one === id)?.[1]);
    } catch (error) {
      failures = Math.min(failures + 1, 10);
      for (const [id, since] of batch) want([id], since);
      throw error;
    } finally {
      inHand = [];
    }
    if (behind.size > 0) rounds.nudge();
  };

  /** When each owner was looked at last, by its own clock; null: all its feeds are looked at. */
  const looked = new Map<FeedOwner, number | null>(feedOwners.map((owner) => [owner, null]));
  let completeAt = Date.now();
  let changesBehind = 0;
  let generation = db.serverGeneration();
  const look = async (): Promise<void> => {
    // Another server may have an earlier log.
    if (generation !== db.serverGeneration()) lookAtAll();
    generation = db.serverGeneration();
    const counts = await Promise.all(feedOwners.map(lookAt));
    changesBehind = counts.reduce((sum, count) => sum + count, 0);
    completeAt = Date.now();
  };

  /** @returns how many changes the log lacks of the feeds that were looked at */
  const lookAt = async (owner: FeedOwner): Promise<number> => {
    const last = looked.get(owner) ?? null;
    // Whoever asks for a look at all feeds meanwhile gets it.
    looked.delete(owner);
    let lookedAt: number | null = null;
    try {
      const since = last === null ? null : Math.max(0, last - overlap);
      let [after, count]: [string | null, number] = [null, 0];
      do {
        const page: FeedPage = await bus.call(feedRequests[owner].list, { since, after_workspace_id: after });
        lookedAt ??= page.looked_at;
        count += await compare(owner, page.feeds);
        after = page.next_workspace_id;
      } while (after !== null);
      if (!looked.has(owner)) looked.set(owner, lookedAt);
      return count;
    } catch (error) {
      if (!looked.has(owner)) looked.set(owner, last);
      throw error;
    } finally {
      if (behind.size > 0) rounds.nudge();
    }
  };

  const compare = async (owner: FeedOwner, feeds: readonly FeedHead[]): Promise<number> => {
    const logs = await db.read((tx) =>
      findLogs(
        tx,
        feeds.map(({ workspace_id }) => workspace_id),
      ),
    );
    let count = 0;
    for (const { workspace_id, last, last_id } of feeds) {
      const position = logs.get(workspace_id)?.positions[owner];
      if (position?.seq === last && position.id === last_id) continue;
      count += Math.max(0, last - (position?.seq ?? 0));
      want([workspace_id]);
    }
    return count;
  };

  const lookAtAll = (owner?: FeedOwner) => {
    for (const one of owner ? [owner] : feedOwners) looked.set(one, null);
  };

  const rounds = sweeper({ name: 'log', intervalMs: lookMs, run: round, logger });
  const looks = sweeper({ name: 'feeds', intervalMs: lookMs, run: look, logger });

  bus.onSignal(feedsGrew, ({ owner, workspace_ids }) => {
    if (workspace_ids === null) {
      lookAtAll(owner);
      looks.nudge();
      return;
    }
    want(workspace_ids);
    rounds.nudge();
  });
  gauge(
    { name: 'cardinal_log_lag_seconds', help: 'How long the log is behind the feeds, as far as this process knows' },
    (one) => {
      const oldest = Math.min(Date.now(), ...[...inHand, ...behind].map(([, since]) => since));
      // While owners do not answer nobody knows.
      one.set(Math.max(Date.now() - oldest, Date.now() - completeAt - 2 * lookMs, 0) / 1_000);
    },
  );
  gauge(
    { name: 'cardinal_log_lag_changes', help: 'Changes that the log lacked at the last look at the feeds' },
    (one) => one.set(changesBehind),
  );

  const part: Part = {
    name: 'filler',
    stop: async () => {
      await Promise.all([rounds.stop(), looks.stop()]);
      for (const timer of timers) clearTimeout(timer);
    },
  };
  return {
    part,
    /** Looks at all feeds, at the next look. */
    lookAtAll: () => {
      lookAtAll();
      looks.nudge();
    },
  };
};
