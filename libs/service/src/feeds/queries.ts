import type { FeedChange, FeedHead, FeedOwner, feedRequests, PulledFeed } from '@cardinal/contracts';
import { commitsWithoutDisk, type Database, prepared } from '@cardinal/db';
import { pageBytes } from '@cardinal/runtime';
import type { z } from 'zod';

/** Most changes in one answer, and most feeds in one list. */
const [changesAtOnce, feedsAtOnce] = [2_000, 5_000];

type Asked = z.output<(typeof feedRequests)[FeedOwner]['pull']['request']>['feeds'];
type Listing = z.output<(typeof feedRequests)[FeedOwner]['list']['request']>;

const microseconds = (moment: string) => `(extract(epoch from ${moment}) * 1000000)::bigint`;

/**
 * How far feeds are complete ($1 their workspaces). Non-blocking: `skip locked` shows open writers. Without one, the
 * feed is complete up to now, as later writers note a later time. With one, it is complete up to the last committed
 * change. The locks need not survive a crash, so the commit does not wait for the disk.
 */
const findHeads = prepared<FeedHead & { complete_to: number }>(
  'find-feeds',
  `with free as (
  select workspace_id, last, last_id, greatest(clock_timestamp(), noted_at + interval '1 microsecond') as complete_to
  from feeds
  where workspace_id = any ($1::uuid[]) and ${commitsWithoutDisk}
  for share skip locked
)
select workspace_id, coalesce(free.last, feeds.last) as last, coalesce(free.last_id, feeds.last_id) as last_id,
  ${microseconds(`coalesce(free.complete_to, feeds.noted_at + interval '1 microsecond')`)} as complete_to
from feeds left join free using (workspace_id)
where workspace_id = any ($1::uuid[])`,
);

/** $1 workspaces. Only a feed that exists can be locked. */
const makeFeeds = prepared(
  'make-feeds',
  'insert into feeds (workspace_id) select id from unnest($1::uuid[]) as id order by id on conflict do nothing',
);

/**
 * Changes of feeds: $1 where each begins and ends, $2 how many of each, $3 bytes of events. The first change of each
 * feed comes before the second one of any. A change that does not fit comes without its `event`.
 */
const findChanges = prepared<Omit<FeedChange, 'event'> & { workspace_id: string; event: string | null }>(
  'find-changes',
  `with found as (
  select change.*, event::text as text, ordinal, row_number() over (partition by ordinal order by seq) as nth
  from json_to_recordset($1) as asked (ordinal integer, workspace_id uuid, after bigint, last bigint)
  cross join lateral (
    select * from changes
    where changes.workspace_id = asked.workspace_id and seq > asked.after and seq <= asked.last
    order by seq limit $2
  ) as change
),
summed as (
  select *, sum(octet_length(text)) over (order by nth, ordinal) as bytes_through from found
)
select workspace_id, seq, id, previous_id, ${microseconds('noted_at')} as noted_at,
  type, card_id, board_id, other_board_id,
  -- One is sent however long it is.
  case when bytes_through <= greatest($3, octet_length(text)) then text end as event
from summed order by nth, ordinal`,
);

/**
 * How many changes of each feed may be read, so that all together are at most `room`. Short feeds leave their share to
 * others.
 */
export const shareOf = (counts: readonly number[], room: number): number => {
  let left = room;
  for (const [at, count] of counts.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (counts.length - at));
    if (count > share) return share;
    left -= count;
  }
  return room;
};

/**
 * Reads the changes after positions in feeds, as many as fit into one message.
 * @returns feeds in the order of `asked`
 */
export const pullFeeds = async <Tables>(db: Database<Tables>, asked: Asked): Promise<PulledFeed[]> => {
  const ids = asked.map(({ workspace_id }) => workspace_id);
  const find = () => db.statement((tx) => findHeads.run(tx, [ids]));
  let rows = await find();
  if (rows.length < ids.length) {
    await db.statement((tx) => makeFeeds.run(tx, [ids]));
    rows = await find();
  }
  const heads = new Map(rows.map((head) => [head.workspace_id, head]));
  const wanted = asked.flatMap(({ workspace_id, after }, ordinal) => {
    const head = heads.get(workspace_id);
    return head && head.last > after ? [{ ordinal, workspace_id, after, last: head.last }] : [];
  });
  const share = shareOf(
    wanted.map(({ after, last }) => last - after),
    changesAtOnce,
  );
  const values = [JSON.stringify(wanted), share, pageBytes];
  const found = wanted.length > 0 ? await db.read((tx) => findChanges.run(tx, values)) : [];
  const byFeed = Map.groupBy(withRoom(found, ids.length), ({ workspace_id }) => workspace_id);
  return ids.flatMap((id) => {
    const head = heads.get(id);
    return head ? [pulled(head, byFeed.get(id) ?? [], share)] : [];
  });
};

type Found = Awaited<ReturnType<typeof findChanges.run>>;

/** Most bytes of a feed's head, and of a change without its event. */
const [headBytes, changeBytes] = [200, 400];

/** Removes the events that do not fit into the message, as {@link findChanges} does by their size in the database. */
const withRoom = (found: Found, feeds: number): Found => {
  let room = pageBytes - feeds * headBytes;
  return found.map((change, at) => {
    room -= changeBytes + bytesInJson(change.event ?? '');
    return room < 0 && at > 0 ? { ...change, event: null } : change;
  });
};

/** Bytes of a JSON text as a string in JSON: escaped characters take more than one. */
const bytesInJson = (text: string): number => {
  let bytes = Buffer.byteLength(text) + 2;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote || code === backslash) bytes += 1;
    else if (code < space) bytes += 5;
  }
  return bytes;
};
const [space, quote, backslash] = [0x20, 0x22, 0x5c];

const pulled = (head: FeedHead & { complete_to: number }, found: Found, share: number): PulledFeed => {
  const changes = found.flatMap(({ workspace_id: _, event, ...change }) =>
    event === null ? [] : [{ ...change, event }],
  );
  const isCut = changes.length < found.length || (changes.length === share && (changes.at(-1)?.seq ?? 0) < head.last);
  // The feed's next change has a later time than the last one here.
  const complete_to = isCut ? (changes.at(-1)?.noted_at ?? -1) + 1 : head.complete_to;
  return { ...head, complete_to, changes };
};

type Listed = { looked_at: number } & (FeedHead | { workspace_id: null });

/**
 * Feeds, and the time up to which the next look finds every entry: when the oldest open writer began, or now. A role sees
 * only its own sessions, which are the writers. A writer that has just ended may have committed after the feeds were
 * read.
 */
export const listing = (title: string, feeds: string) =>
  prepared<Listed>(
    title,
    `with moment as (
  select ${microseconds('least(now(), min(xact_start))')} as looked_at
  from pg_stat_activity where datname = current_database() and backend_xid is not null
),
${feeds}
select looked_at, workspace_id, last, last_id from moment left join listed on true order by workspace_id`,
  );

/**
 * $1 the time since which something was appended, $2 after which workspace, $3 how many. The inner query selects
 * changes by age alone: joined with the feeds, Postgres may scan all changes of a workspace from the oldest.
 */
const listNews = listing(
  'list-news-of-feeds',
  `new as materialized (
  select distinct workspace_id from changes where noted_at >= to_timestamp($1::bigint / 1000000.0)
),
listed as (
  select workspace_id, last, last_id from feeds join new using (workspace_id)
  where workspace_id > $2
  order by workspace_id limit $3
)`,
);

/** $1 after which workspace, $2 how many. */
const listAll = listing(
  'list-all-feeds',
  `listed as (
  select workspace_id, last, last_id from feeds where workspace_id > $1 and last > 0 order by workspace_id limit $2
)`,
);

const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Makes the handler of a request for feeds, by workspace: all of them, or those with entries since a time.
 * @param statements those that list the news and all
 */
export const feedLister =
  ({ listNews, listAll }: Record<'listNews' | 'listAll', ReturnType<typeof listing>>) =>
  async <Tables>(
    db: Database<Tables>,
    { since, after_workspace_id }: Listing,
  ): Promise<z.output<(typeof feedRequests)[FeedOwner]['list']['reply']>> => {
    const after = after_workspace_id ?? beforeAll;
    const rows = await db.read((tx) =>
      since === null ? listAll.run(tx, [after, feedsAtOnce]) : listNews.run(tx, [since, after, feedsAtOnce]),
    );
    const feeds = rows.flatMap(({ looked_at: _, ...head }) => (head.workspace_id === null ? [] : [head]));
    const next_workspace_id = feeds.length === feedsAtOnce ? (feeds.at(-1)?.workspace_id ?? null) : null;
    return { feeds, looked_at: rows[0]?.looked_at ?? 0, next_workspace_id };
  };

/** Lists the feeds of changes. */
export const listFeeds = feedLister({ listNews, listAll });
