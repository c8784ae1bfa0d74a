import type { Bus } from '@cardinal/bus';
import { type FeedOwner, feedRequests, feedsGrew, internalFeedRequests, internalFeedsGrew } from '@cardinal/contracts';
import { type Database, purge } from '@cardinal/db';
import { sql } from 'kysely';
import { listInternalFeeds, pullInternalEvents } from './internal-queries.ts';
import { listFeeds, pullFeeds } from './queries.ts';

/** Pause in which further changes join a nudge, ms. */
const restMs = 10;
/** How long a change stays after the log took it, hours: a restored log reads it again (ARCHITECTURE, "Feeds"). */
export const feedHours = 7 * 24;
/** Feeds per round that are nudged because no follower is known to have read them to the end. */
const untakenAtOnce = 5_000;

/** What a service does for followers of its feeds. */
export type Feed = ReturnType<typeof serveFeed>;

/** Serves the feeds of an owner to the log and to projections: entries after a position, and the list of feeds. */
export const serveFeed = <Tables>(owner: FeedOwner, { db, bus }: { db: Database<Tables>; bus: Bus }) => {
  /** The last sequence number that the log has, by workspace. A pull of what follows a number acknowledges it. */
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

  /** Makes a function that signals that a feed grew. Calls within a few milliseconds share a signal. */
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
    /** Call it after the commit of a transaction that appended changes of the workspace. */
    nudge: nudging(feedsGrew),
    /** Call it after the commit of a transaction that appended internal events of the workspace. */
    nudgeProjections: nudging(internalFeedsGrew),
    /**
     * Has followers look at all feeds where the server behind the pool may have changed: it may have been rolled back.
     */
    announceServer: async (): Promise<void> => {
      const current = db.serverGeneration();
      if (generation === current) return;
      const all = { owner, workspace_ids: null };
      if (!bus.signal(feedsGrew, all) || !bus.signal(internalFeedsGrew, all)) return;
      generation = current;
    },
    /**
     * Stores how far the log has read the feeds; changes up to there may be purged. Skips feeds with an open writer:
     * the next pull reports them again. Nudges old feeds without a stored position: the pull that follows reports it.
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

/** Deletes changes that the log took and that are older than `olderThan`. @returns how many */
export const purgeChanges = <Tables>(db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(
    db,
    'changes',
    sql`noted_at < ${olderThan} and seq <= (select taken from feeds where feeds.workspace_id = changes.workspace_id)`,
  );
