import type { FeedHead, FeedOwner, internalFeedRequests } from '@cardinal/contracts';
import { type Database, prepared } from '@cardinal/db';
import { pageBytes } from '@cardinal/runtime';
import type { z } from 'zod';
import { feedLister, listing } from './queries.ts';

type Requests = (typeof internalFeedRequests)[FeedOwner];
type Asked = z.output<Requests['pull']['request']>['feeds'];
type Pulled = z.output<Requests['pull']['reply']>['feeds'][number];

/** Most internal events in one answer. */
const eventsAtOnce = 500;

/**
 * $1 the feeds, with the last event taken of each. The event's id shows whether the feed continues from there: a
 * database that was rolled back gives the same number to another event.
 */
const findHeads = prepared<FeedHead & { after: number; follows: boolean }>(
  'find-internal-feeds',
  `select asked.workspace_id, after, coalesce(last_internal, 0) as last, last_internal_id as last_id, case
    when after = coalesce(last_internal, 0) then after_id is not distinct from last_internal_id
    when after > coalesce(last_internal, 0) then false
    -- No "exists", which may read the events of all workspaces into a hash table.
    else coalesce((
      select after = 0 or id = after_id from internal_events as event
      where event.workspace_id = asked.workspace_id and seq = greatest(after, 1)), false)
  end as follows
from json_to_recordset($1) as asked (workspace_id uuid, after bigint, after_id uuid)
left join feeds on feeds.workspace_id = asked.workspace_id`,
);

/** $1 where each feed begins and ends, $2 how many events of each. */
const findEvents = prepared<Pulled['events'][number] & { workspace_id: string; bytes: number }>(
  'find-internal-events',
  `select found.*, octet_length(event::text) as bytes from json_to_recordset($1) as asked (workspace_id uuid, after bigint, last bigint)
cross join lateral (
  select workspace_id, seq, event from internal_events
  where internal_events.workspace_id = asked.workspace_id and seq > asked.after and seq <= asked.last
  order by seq limit $2
) as found
order by workspace_id, seq`,
);

/** Reads the internal events after positions in feeds, as many as one answer holds. */
export const pullInternalEvents = async <Tables>(db: Database<Tables>, asked: Asked): Promise<Pulled[]> => {
  const heads = await db.read((tx) => findHeads.run(tx, [JSON.stringify(asked)]));
  const wanted = heads.filter(({ after, last, follows }) => follows && last > after);
  const share = Math.max(1, Math.floor(eventsAtOnce / Math.max(wanted.length, 1)));
  const events = wanted.length > 0 ? await db.read((tx) => findEvents.run(tx, [JSON.stringify(wanted), share])) : [];
  const byFeed = Map.groupBy(withRoom(events), ({ workspace_id }) => workspace_id);
  return heads.map(({ after: _, ...head }) => ({
    ...head,
    events: (byFeed.get(head.workspace_id) ?? []).map(({ seq, event }) => ({ seq, event })),
  }));
};

/** Cuts events to the size of a message. The first one is sent whatever its size. */
const withRoom = <Event extends { bytes: number }>(events: Event[]): Event[] => {
  let bytes = 0;
  const end = events.findIndex((event) => {
    bytes += event.bytes;
    return bytes > pageBytes;
  });
  return end < 0 ? events : events.slice(0, Math.max(end, 1));
};

/** Lists the feeds of internal events. */
export const listInternalFeeds = feedLister({
  /** $1 the time since which something was appended, $2 after which workspace, $3 how many. */
  listNews: listing(
    'list-news-of-internal-feeds',
    `new as materialized (
  select distinct workspace_id from internal_events where noted_at >= to_timestamp($1::bigint / 1000000.0)
),
listed as (
  select workspace_id, last_internal as last, last_internal_id as last_id from feeds join new using (workspace_id)
  where workspace_id > $2
  order by workspace_id limit $3
)`,
  ),
  /** $1 after which workspace, $2 how many. */
  listAll: listing(
    'list-all-internal-feeds',
    `listed as (
  select workspace_id, last_internal as last, last_internal_id as last_id from feeds
  where workspace_id > $1 and last_internal > 0 order by workspace_id limit $2
)`,
  ),
});
