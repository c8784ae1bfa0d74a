import type { Bus } from '@cardinal/bus';
import type { FeedOwner, SignalContract } from '@cardinal/contracts';
import { type Logger, type Part, sweeper } from '@cardinal/runtime';
import type { z } from 'zod';
import { createBacklog } from './backlog.ts';
import { createLook } from './look.ts';
import type { Position } from './positions.ts';

/** Workspaces per round: the most that an owner accepts in one request. */
const workspacesAtOnce = 200;
/** Pause between two looks at the feeds that grew, ms. A lost nudge costs as much. */
const lookMs = 1_000;
/** How many times one round may fail while it is halved to find the workspace that makes it fail. */
const failuresAtOnce = 10;

/** The outcome of a round. */
export interface Brought {
  /** Workspaces that made progress and need another round at once. */
  again: readonly string[];
  /** Workspaces that made no progress. */
  later: readonly string[];
}

type Grew = SignalContract<z.ZodType<{ owner: FeedOwner; workspace_ids: string[] | null }>>;

interface FollowOptions {
  bus: Pick<Bus, 'onSignal'>;
  logger: Logger;
  /** The name of the follower's sweepers. */
  name: string;
  owners: readonly FeedOwner[];
  /** The signal that feeds grew. */
  grew: Grew;
  list: Parameters<typeof createLook>[0]['list'];
  /** Reads how far the follower has the feeds of an owner, by workspace; undefined for a feed that is new to it. */
  findPositions: (owner: FeedOwner, ids: readonly string[]) => Promise<(id: string) => Position | undefined>;
  /** Changes where the server behind the follower's own pool may have changed (`serverGeneration`). */
  generation: () => number;
  /** Reads workspaces that need a round for other reasons. Called at every look. */
  waiting: () => Promise<readonly string[]>;
  /** Brings workspaces up to their feeds. Where it throws, it is called again with half of them. */
  bring: (ids: readonly string[]) => Promise<Brought>;
  /** Pause between two rounds, ms, or a function of the time that the last one took: nudges in it share a round. */
  restMs: number | ((tookMs: number) => number);
  /** Called where a workspace makes rounds fail by itself, and with undefined once it no longer does. */
  onFailure?: (id: string, error: unknown) => void;
}

/**
 * Follows feeds of all workspaces, in any number of instances: those that were nudged, and those that a look each
 * second finds behind (ARCHITECTURE, "Feeds"). Rounds run one at a time; nudges during a round share the next one. A
 * workspace that makes rounds fail gets rounds of its own, and delays no other.
 */
export const followFeeds = (options: FollowOptions) => {
  const { bus, logger, name, bring, waiting, restMs, onFailure } = options;
  const backlog = createBacklog(() => rounds.nudge());

  /**
   * Brings workspaces up to their feeds, in halves where that fails. @returns the first error, undefined without one
   */
  const bringSome = async (ids: readonly string[], allowed: { failures: number }): Promise<unknown> => {
    try {
      const { again, later } = await bring(ids);
      const [more, none] = [new Set(again), new Set(later)];
      for (const id of ids) {
        onFailure?.(id, undefined);
        if (more.has(id)) backlog.again(id);
        else if (none.has(id)) backlog.later(id, false);
        else backlog.done(id);
      }
      return undefined;
    } catch (error) {
      allowed.failures -= 1;
      const half = Math.ceil(ids.length / 2);
      if (ids.length > 1 && allowed.failures > 0) {
        const first = await bringSome(ids.slice(0, half), allowed);
        return (await bringSome(ids.slice(half), allowed)) ?? first;
      }
      for (const id of ids) {
        backlog.later(id, ids.length === 1);
        if (ids.length === 1) onFailure?.(id, error);
      }
      return error;
    }
  };

  const round = async (): Promise<void> => {
    const ids = backlog.take(workspacesAtOnce);
    if (ids.length === 0) return;
    const problem = await bringSome(ids, { failures: failuresAtOnce });
    if (!backlog.isEmpty()) rounds.nudge();
    if (problem !== undefined) throw problem;
  };

  const look = createLook({
    ...options,
    compare: async (owner, feeds) => {
      const ids = feeds.map(({ workspace_id }) => workspace_id);
      const positionOf = await options.findPositions(owner, ids);
      let lacks = 0;
      for (const { workspace_id, last, last_id } of feeds) {
        const position = positionOf(workspace_id);
        if (position?.seq === last && position.id === last_id) continue;
        lacks += Math.max(0, last - (position?.seq ?? 0));
        backlog.want(workspace_id);
      }
      return lacks;
    },
  });
  let [lookedAt, lacking] = [Date.now(), 0];
  const runLook = async (): Promise<void> => {
    try {
      for (const id of await waiting()) backlog.want(id);
      lacking = await look.run();
      lookedAt = Date.now();
    } finally {
      if (!backlog.isEmpty()) rounds.nudge();
    }
  };

  const rounds = sweeper({ name, intervalMs: lookMs, restMs, run: round, logger });
  const looks = sweeper({ name: `${name}-feeds`, intervalMs: lookMs, run: runLook, logger });

  bus.onSignal(options.grew, ({ owner, workspace_ids }) => {
    if (!options.owners.includes(owner)) return;
    if (workspace_ids === null) {
      look.all(owner);
      looks.nudge();
      return;
    }
    for (const id of workspace_ids) backlog.want(id);
    rounds.nudge();
  });

  const part: Part = {
    name,
    stop: async () => {
      await Promise.all([rounds.stop(), looks.stop()]);
      backlog.stop();
    },
  };
  return {
    part,
    /** How long the follower is behind the feeds, as far as this process knows, in seconds. */
    lagSeconds: (): number => {
      const now = Date.now();
      // While an owner does not answer, its latest entries are unknown.
      return Math.max(now - (backlog.oldest() ?? now), now - lookedAt - 2 * lookMs, 0) / 1_000;
    },
    /** Entries that the follower lacked at the last look. */
    lacking: (): number => lacking,
    /** Looks at all feeds now. */
    lookAtAll: (): void => {
      look.all();
      looks.nudge();
    },
    /** Queues a workspace and starts a round. */
    want: (workspaceId: string): void => {
      backlog.want(workspaceId);
      rounds.nudge();
    },
  };
};
