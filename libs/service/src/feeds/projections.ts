import type { Bus } from '@cardinal/bus';
import {
  CardinalError,
  type FeedOwner,
  type InternalEvent,
  internalFeedRequests,
  internalFeedsGrew,
  unavailable,
} from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import {
  counter,
  failpoint,
  gauge,
  type Logger,
  newContext,
  type Part,
  runInContext,
  sweeper,
} from '@cardinal/runtime';
import { NIL } from 'uuid';
import { type Brought, followFeeds } from './follow.ts';
import { findPositions, findToRebuild, type Move, movePositions, type Position } from './positions.ts';

/**
 * Pause between two rounds, ms: events in it share requests and statements. Readers do not wait for it: the writer
 * hands over what a client reads next.
 */
const restMs = 100;
/** Deadline of one page of a rebuild, ms. */
const pageMs = 30_000;
/** Pause between two looks for projections that need a rebuild, ms. */
const rebuildMs = 1_000;

/** How a service projects what another one owns. */
export interface Projection {
  owner: FeedOwner;
  /**
   * Applies internal events, those of a workspace in their order, each only if newer: an event may come twice. Ignores
   * types that it does not project.
   */
  take: (events: readonly InternalEvent[]) => Promise<void>;
  /**
   * Compares one page of a workspace's projection with the owner's states, and corrects what differs.
   * @param after where the page begins; null for the first one
   * @returns where the next page begins; null after the last one
   */
  rebuildPage: (workspaceId: string, after: string | null) => Promise<string | null>;
}

interface ProjectionContext {
  db: Database<unknown>;
  bus: Bus;
  logger: Logger;
}

const rebuilds = counter({
  name: 'cardinal_projection_rebuilds_total',
  help: 'Projections of a workspace that were rebuilt from their owner',
  labels: ['owner'],
});

/** Follows the internal events of one owner. */
const follow = ({ db, bus, logger }: ProjectionContext, { owner, take, rebuildPage }: Projection) => {
  const { pull, list } = internalFeedRequests[owner];
  /** Workspaces whose feed does not continue from the position, with the end of the feed at that time. */
  const broken = new Map<string, Position & { from: Position; since: number }>();
  const stopped = new Set<string>();
  // It exists before the first rebuild: otherwise Prometheus does not see the first increase.
  rebuilds().inc({ owner }, 0);
  let isStopping = false;

  /**
   * Moves positions unless the server may have changed since: after a rollback it may lack what was applied, and the
   * position may be the former one.
   */
  const movePast = (moves: readonly Move[], generation: number) =>
    db.statement(async (tx) => {
      if (db.serverGeneration() !== generation) throw unavailable('The database became another one meanwhile');
      await movePositions(tx, owner, moves);
    });

  const bring = async (ids: readonly string[]): Promise<Brought> => {
    const generation = db.serverGeneration();
    const positionOf = await db.read((tx) => findPositions(tx, owner, ids));
    const asked = ids
      .filter((id) => !broken.has(id))
      .map((workspace_id) => {
        const { seq, id } = positionOf(workspace_id);
        return { workspace_id, after: Math.max(seq, 0), after_id: id };
      });
    if (asked.length === 0) return { again: [], later: [] };
    const { feeds } = await bus.call(pull, { feeds: asked });
    const again: string[] = [];
    const moves: Move[] = [];
    for (const { workspace_id, last, last_id, follows, events } of feeds) {
      const from = positionOf(workspace_id);
      const end = events.at(-1);
      if (!follows || from.seq < 0) broken.set(workspace_id, { seq: last, id: last_id, from, since: Date.now() });
      else {
        if (end) moves.push({ workspace_id, from, seq: end.seq, id: end.event.id });
        if ((end?.seq ?? from.seq) < last) again.push(workspace_id);
      }
    }
    await take(
      feeds.flatMap(({ workspace_id, events }) => (broken.has(workspace_id) ? [] : events)).map(({ event }) => event),
    );
    // After the events are applied: a crash in between applies them again.
    failpoint('between-take-and-move');
    await movePast(moves, generation);
    if (broken.size > 0) rebuilding.nudge();
    return { again, later: [] };
  };

  const rebuild = async (workspaceId: string): Promise<boolean> => {
    let after: string | null = null;
    do {
      if (isStopping) return false;
      const caller = { workspaceId, userId: NIL };
      const begin: string | null = after;
      after = await runInContext(newContext({ timeoutMs: pageMs, caller }), () => rebuildPage(workspaceId, begin));
    } while (after !== null);
    return true;
  };

  /**
   * Rebuilds projections one by one, unless another instance did. Events that arrive meanwhile are after the feed's end
   * as read before the rebuild, and are applied after it.
   */
  const rebuildAll = async (): Promise<void> => {
    let failure: unknown;
    // In random order, so that instances that begin together do not rebuild the same ones.
    for (const [workspace_id, { from, since: _, ...end }] of [...broken].sort(() => Math.random() - 0.5)) {
      try {
        const generation = db.serverGeneration();
        const current = (await db.read((tx) => findPositions(tx, owner, [workspace_id])))(workspace_id);
        const isOpen = current.seq === from.seq && current.id === from.id;
        if (isOpen) {
          logger.info({ owner, workspace_id, from, to: end }, 'the projection of a workspace is rebuilt');
          if (!(await rebuild(workspace_id))) return;
          await movePast([{ workspace_id, from, ...end }], generation);
          rebuilds().inc({ owner });
        }
        broken.delete(workspace_id);
        note(workspace_id, undefined);
        follower.want(workspace_id);
      } catch (error) {
        note(workspace_id, error);
        failure ??= error;
      }
    }
    if (failure) throw failure;
  };

  const note = (workspaceId: string, error: unknown): void => {
    if (error === undefined) {
      if (!broken.has(workspaceId)) stopped.delete(workspaceId);
      return;
    }
    // A server that is away comes back, and the workspace is not at fault.
    const isAway = error instanceof CardinalError && error.code === 'unavailable';
    if (isAway || stopped.has(workspaceId)) return;
    stopped.add(workspaceId);
    const about = { err: error, owner, workspace_id: workspaceId };
    logger.error(about, 'the projection of a workspace stopped: an event cannot be applied');
  };

  const follower = followFeeds({
    bus,
    logger,
    name: `projection-of-${owner}`,
    owners: [owner],
    grew: internalFeedsGrew,
    restMs,
    bring,
    onFailure: note,
    generation: db.serverGeneration,
    list: (_, page) => bus.call(list, page),
    findPositions: (_, ids) => db.read((tx) => findPositions(tx, owner, ids)),
    waiting: () => db.read((tx) => findToRebuild(tx, owner)),
  });
  const rebuilding = sweeper({ name: `rebuild-of-${owner}`, intervalMs: rebuildMs, run: rebuildAll, logger });

  return {
    owner,
    lagSeconds: (): number => {
      const [oldest = { since: Date.now() }] = broken.values();
      return Math.max(follower.lagSeconds(), (Date.now() - oldest.since) / 1_000);
    },
    stopped: () => stopped.size,
    stop: async (): Promise<void> => {
      isStopping = true;
      await Promise.all([follower.part.stop(), rebuilding.stop()]);
    },
  };
};

/**
 * Keeps projections up to date with their owners' feeds (ARCHITECTURE, "Projections"; ADR 0073). An event that cannot
 * be applied stops its workspace alone, and is tried again.
 */
export const startProjections = (
  context: Pick<ProjectionContext, 'bus' | 'logger'> & { db: unknown },
  projections: readonly Projection[],
): Part => {
  const followed = projections.map((projection) => follow(context as ProjectionContext, projection));
  const labels = ['owner'] as const;
  gauge(
    {
      name: 'cardinal_projection_lag_seconds',
      help: 'Lag of projections behind their owner, as known to this process',
      labels,
    },
    (one) => {
      for (const { owner, lagSeconds } of followed) one.set({ owner }, lagSeconds());
    },
  );
  gauge(
    {
      name: 'cardinal_projection_stopped_workspaces',
      help: 'Workspaces whose projection fails to apply a change; it is retried',
      labels,
    },
    (one) => {
      for (const { owner, stopped } of followed) one.set({ owner }, stopped());
    },
  );
  return { name: 'projections', stop: async () => void (await Promise.all(followed.map(({ stop }) => stop()))) };
};
