import type { Bus } from '@cardinal/bus';
import { type FeedOwner, feedRequests, feedsGrew, internalFeedRequests, internalFeedsGrew } from '@cardinal/contracts';
import { type Database, purge } from '@cardinal/db';
import { sql } from 'kysely';
import { listInternalFeeds, pullInternalEvents } from './internal-queries.ts';
import { listFeeds, pullFeeds } from './queries.ts';

/** Pause in which further changes come to share a nudge, ms. */
const restMs = 10;
/** How long a change stays after the log has taken it, hours: a restored log fills itself again (ARCHITECTURE, "Feeds"). */
export const feedHours = 7 * 24;
/** Feeds that are nudged at once because nobody is known to have read them to their end. */
const untakenAtOnce = 5_000;

/** What a service does for the followers of its feeds. */
export type Feed = ReturnType<typeof serveFeed>;

/** Serves the feeds of an owner to the log and to projections: what follows a position, and which feeds there are. */
export const serveFeed = <Tables>(owner: FeedOwner, { db, bus }: { db: Database<Tables>; bus: Bus }) => {
  /** Who asks for what follows has what stands before. */
  let taken = new Map<string, number>();
  let generation: number | undefined;
  const { pull, list } = feedRequests[owner];

  bus.serve(pull, async ({ feeds }) => {
    for (const { workspace_id, after } of feeds) taken.set(workspace_id, after);
    return { feeds: await pullFeeds(db, feeds) };
  });
  bus.serve(list, (request) => listFeeds(db, request));
  const internal = internalFeedRequests[owner];
  bus.serve(internal.pull, async ({ feeds }) => ({ feeds: await pullInternalEvents(db, feeds) }));
  bus.serve(internal.list, (request) => listInternalFeeds(db, request));

  /** Signals that feeds grew, those of a few milliseconds at once. */
  const nudging = (signal: typeof feedsGrew | typeof internalFeedsGrew) => {
    const grown = new Set<string>();
    const send = () => {
      bus.signal(signal, { owner, workspace_ids: [...grown] });
      grown.clear();
    };
    return (workspaceId: string): void => {
      if (grown.size === 0) setTimeout(send, restMs);
      grown.add(workspaceId);
    };
  };

  return {
    /** A transaction that noted changes of the workspace has committed. */
    nudge: nudging(feedsGrew),
    /** A transaction that noted internal events of the workspace has committed. */
    nudgeProjections: nudging(internalFeedsGrew),
    /** Has all feeds looked at where the server behind the pool may be another one than before: it may have been rolled back. */
    announceServer: async (): Promise<void> => {
      const current = db.serverGeneration();
      if (generation === current) return;
      const all = { owner, workspace_ids: null };
      if (!bus.signal(feedsGrew, all) || !bus.signal(internalFeedsGrew, all)) return;
      generation = current;
    },
    /**
     * Writes down how far the log has the feeds; what it has may be purged later. Those that are being written to are passed
     * over, as they are pulled again anyway. Feeds of which it was never written down are nudged once they are old: the pull
     * that follows says it.
     */
    noteTaken: async (): Promise<void> => {
      const entries = [...taken].map(([workspace_id, seq]) => ({ workspace_id, seq }));
      taken = new Map();
      await db.statement((tx) =>
        sql`
          with free as (
            select workspace_id, least(seq, last) as seq
            from json_to_recordset(${JSON.stringify(entries)}) as new (workspace_id uuid, seq bigint)
            join feeds using (workspace_id)
            where taken < least(seq, last) for no key update of feeds skip locked
          )
          update feeds set taken = seq from free where feeds.workspace_id = free.workspace_id`.execute(tx),
      );
      const { rows } = await db.read((tx) =>
        sql<{ workspace_id: string }>`
          select workspace_id from feeds
          where taken < last and noted_at < now() - make_interval(hours => ${feedHours}) limit ${untakenAtOnce}`.execute(
          tx,
        ),
      );
      const workspace_ids = rows.map(({ workspace_id }) => workspace_id);
      if (workspace_ids.length > 0) bus.signal(feedsGrew, { owner, workspace_ids });
    },
  };
};

/** Deletes changes that the log took and that were noted before `olderThan`; returns how many. */
export const purgeChanges = <Tables>(db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(
    db,
    'changes',
    sql`noted_at < ${olderThan} and seq <= (select taken from feeds where feeds.workspace_id = changes.workspace_id)`,
  );
