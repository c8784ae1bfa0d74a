import type { Bus } from '@cardinal/bus';
import { type FeedHead, type FeedOwner, feedRequests, feedsGrew, type PulledFeed } from '@cardinal/contracts';
import { type Database, purge } from '@cardinal/db';
import { pageBytes } from '@cardinal/runtime';
import { type Kysely, sql } from 'kysely';

/** Pause in which further changes come to share a nudge, ms. */
const restMs = 10;
/** Changes in one answer at most, and feeds in a list of them. */
const [changesAtOnce, feedsAtOnce] = [2_000, 5_000];
/** How long a change stays after the log has taken it, hours: a restored log fills itself again (architecture, "Feeds"). */
export const feedHours = 7 * 24;

/** What a service does for those who follow its changes. */
export type Feed = ReturnType<typeof serveFeed>;

/**
 * Serves the feeds of an owner to whoever fills the log: what changed after a position, and which feeds there are.
 */
export const serveFeed = <Tables>(
  owner: FeedOwner,
  { db, bus }: { db: Database<Tables>; bus: Bus },
) => {
  let grown = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const taken = new Map<string, number>();
  const { pull, list } = feedRequests[owner];

  bus.serve(pull, async ({ feeds }) => {
    for (const { workspace_id, after } of feeds) taken.set(workspace_id, after);
    const asked = feeds.toSorted((a, b) => (a.workspace_id < b.workspace_id ? -1 : 1));
    const pulled = await db.transaction(async (tx) => {
      await lockFeeds(tx, asked);
      return readChanges(tx, asked);
    });
    return { feeds: asked.flatMap(({ workspace_id }) => pulled.get(workspace_id) ?? []) };
  });

  bus.serve(list, async ({ since, after_workspace_id: after }) => db.read((tx) => listFeeds(tx, since, after)));

  let generation: number | undefined;

  return {
    /** A transaction that appended changes of the workspace has committed. */
    nudge: (workspaceId: string): void => {
      grown.add(workspaceId);
      timer ??= setTimeout(() => {
        timer = undefined;
        const ids = [...grown];
        grown = new Set();
        bus.signal(feedsGrew, { owner, workspace_ids: ids });
      }, restMs);
    },
    /** Has all feeds looked at where the server behind the pool may be another one than before: it may have fallen back. */
    announceServer: async (): Promise<void> => {
      if (generation === db.serverGeneration()) return;
      generation = db.serverGeneration();
      bus.signal(feedsGrew, { owner, workspace_ids: null });
    },
    /** Writes down how far the log has the feeds; what it has may be purged later. */
    noteTaken: async (): Promise<void> => {
      const entries = [...taken].map(([workspace_id, seq]) => ({ workspace_id, seq }));
      taken.clear();
      if (entries.length === 0) return;
      await db.statement((tx) =>
        sql`
          update feeds set taken = greatest(taken, new.seq)
          from json_to_recordset(${JSON.stringify(entries)}) as new (workspace_id uuid, seq bigint)
          where feeds.workspace_id = new.workspace_id and feeds.taken < new.seq`.execute(tx),
      );
    },
  };
};

type Asked = readonly { workspace_id: string; after: number }[];

/**
 * Waits for writers who are in the middle of these feeds, and holds them up until the transaction ends. A feed that is not
 * there yet is made, since its first writer could not be waited for otherwise.
 */
const lockFeeds = async <Tables>(tx: Kysely<Tables>, asked: Asked): Promise<void> => {
  const ids = asked.map(({ workspace_id }) => workspace_id);
  const lock = () =>
    sql`select 1 from feeds where workspace_id = any (${ids}::uuid[]) order by workspace_id for share`.execute(tx);
  if ((await lock()).rows.length === ids.length) return;
  await sql`
    insert into feeds (workspace_id) select id from unnest(${ids}::uuid[]) as id order by id
    on conflict do nothing`.execute(tx);
  await lock();
};

/** A statement of its own, after the locks: it sees everything that was noted before. */
const readChanges = async <Tables>(tx: Kysely<Tables>, asked: Asked): Promise<Map<string, PulledFeed>> => {
  const { rows } = await sql<Omit<PulledFeed, 'changes'> & { changes: PulledFeed['changes'] | null }>`
    select feeds.workspace_id, last, last_id, changes,
      (extract(epoch from greatest(clock_timestamp(), noted_at + interval '1 microsecond')) * 1000000)::bigint as complete_to
    from json_to_recordset(${JSON.stringify(asked)}) as asked (workspace_id uuid, after bigint)
    join feeds on feeds.workspace_id = asked.workspace_id
    cross join lateral (
      select json_agg(json_build_object(
        'seq', seq, 'id', id, 'previous_id', previous_id,
        'noted_at', (extract(epoch from noted_at) * 1000000)::bigint,
        'type', type, 'card_id', card_id, 'board_id', board_id, 'other_board_id', other_board_id,
        'event', event::text) order by seq) as changes
      from (
        select * from changes
        where changes.workspace_id = feeds.workspace_id and seq > asked.after order by seq limit ${changesAtOnce}
      ) as changes
    ) as news
    order by feeds.workspace_id`.execute(tx);
  let room = pageBytes;
  const fits = ({ event }: { event: string }) => {
    room -= Buffer.byteLength(event) * 1.2 + 400;
    return room > 0;
  };
  const cut = (changes: PulledFeed['changes']) => {
    const end = changes.findIndex((change) => !fits(change));
    // One is sent however long it is.
    return end < 0 ? changes : changes.slice(0, Math.max(end, 1));
  };
  return new Map(rows.map((row) => [row.workspace_id, { ...row, changes: cut(row.changes ?? []) }]));
};

const listFeeds = async <Tables>(db: Kysely<Tables>, since: number | null, after: string | null) => {
  const { rows: clock } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000000)::bigint as now`.execute(db);
  const { rows: feeds } = await sql<FeedHead>`
    select workspace_id, last, last_id from feeds
    where last > 0
      and (${since}::bigint is null or noted_at >= to_timestamp(${since}::bigint / 1000000.0))
      and (${after}::uuid is null or workspace_id > ${after}::uuid)
    order by workspace_id limit ${feedsAtOnce}`.execute(db);
  const next_workspace_id = feeds.length === feedsAtOnce ? (feeds.at(-1)?.workspace_id ?? null) : null;
  return { feeds, looked_at: clock[0]?.now ?? 0, next_workspace_id };
};

/** Deletes changes that the log took and that were noted before `olderThan`; returns how many. */
export const purgeChanges = <Tables>(db: Database<Tables>, olderThan: Date): Promise<number> =>
  purge(
    db,
    'changes',
    sql`noted_at < ${olderThan} and seq <= (select taken from feeds where feeds.workspace_id = changes.workspace_id)`,
  );
