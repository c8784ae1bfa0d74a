import { type FeedOwner, feedOwners } from '@cardinal/contracts';
import { sql } from 'kysely';
import { compare } from '../compare.ts';
import type { Check, Difference } from '../examine.ts';
import type { Sources } from '../sources.ts';
import { queryCheck } from './kinds.ts';

/** A log's position in a feed. */
interface Position {
  seq: number;
  id: string | null;
}

/** What a feed has at a position. */
interface Judged {
  workspace_id: string;
  seq: number;
  is_ahead: boolean;
  is_other: boolean;
  is_purged: boolean;
  is_late: boolean;
}

/** Logs that are not at the end of a feed. The two are read one after the other, so most of these changes are under way. */
const unequal = (sources: Sources, owner: FeedOwner, only?: ReadonlySet<string>) => {
  const key = `workspace_id || ' ${owner}' as key`;
  const place = `jsonb_build_object('seq', last, 'id', last_id)`;
  return compare(sources, {
    owner: { service: owner, query: `select ${key}, ${place} as value from ${owner}.feeds where last > 0` },
    copy: {
      service: 'event',
      query: `select ${key}, positions -> '${owner}' as value from event.logs
        where (positions -> '${owner}' ->> 'seq')::bigint > 0`,
    },
    only,
    ignores: () => false,
  });
};

/** Reads the feeds after their logs: a feed that is behind its log then really is. */
const judge = async (
  sources: Sources,
  owner: FeedOwner,
  positions: readonly (Position & { workspace_id: string })[],
): Promise<Judged[]> =>
  sources.read(
    owner,
    sql<Judged>`
      select workspace_id, log.seq,
        coalesce(feeds.last, 0) < log.seq as is_ahead,
        coalesce(case when feeds.last = log.seq then feeds.last_id <> log.id else kept.id <> log.id end, false)
          or next.seq = log.seq + 1 and next.previous_id is distinct from log.id as is_other,
        feeds.last > log.seq and next.seq is distinct from log.seq + 1 as is_purged,
        coalesce(next.noted_at < now() - interval '1 minute', false) as is_late
      from json_to_recordset(${JSON.stringify(positions)}) as log (workspace_id uuid, seq bigint, id uuid)
      left join ${sql.table(`${owner}.feeds`)} using (workspace_id)
      left join ${sql.table(`${owner}.changes`)} as kept using (workspace_id, seq)
      left join lateral (
        select seq, previous_id, noted_at from ${sql.table(`${owner}.changes`)} as change
        where change.workspace_id = log.workspace_id and change.seq > log.seq order by change.seq limit 1
      ) as next on true`,
  );

const complaintOf = ({ seq, is_ahead, is_other, is_purged, is_late }: Judged): string | undefined => {
  if (is_ahead) return `the log has change ${seq}, and the feed does not come so far`;
  if (is_other) return `the feed has another change ${seq} than the log`;
  if (is_purged) return `what follows change ${seq} is kept no more, and the log does not have it`;
  return is_late ? 'changes wait for the log for longer than a minute' : undefined;
};

const lookAt = async (sources: Sources, owner: FeedOwner, only?: ReadonlySet<string>): Promise<Difference[]> => {
  const positions = (await unequal(sources, owner, only)).map(({ key, copy }) => ({
    workspace_id: key.slice(0, key.indexOf(' ')),
    ...(copy === undefined ? { seq: 0, id: null } : (JSON.parse(copy) as Position)),
  }));
  const judged = positions.length > 0 ? await judge(sources, owner, positions) : [];
  return judged.flatMap((one) => {
    const complaint = complaintOf(one);
    const key = `${one.workspace_id} ${owner}`;
    return complaint ? [{ key, what: `feed ${key}: ${complaint}` }] : [];
  });
};

const position: Check = {
  name: 'the log of each workspace is where the feeds are, and nothing waits for it longer than a minute',
  look: async (sources, only) => {
    const found: Difference[] = [];
    // One after the other: each holds two connections, which may be of one pool.
    for (const owner of feedOwners) found.push(...(await lookAt(sources, owner, only)));
    return found;
  },
};

/** For a stack at rest; the doctor's own check allows changes a minute to reach the log. */
export const logIsComplete: Check = {
  name: 'the log of each workspace has the last change of each feed',
  look: async (sources, only) => {
    const found: Difference[] = [];
    for (const owner of feedOwners) {
      for (const { key } of await unequal(sources, owner, only))
        found.push({ key, what: `feed ${key} and its log are not at the same change` });
    }
    return found;
  },
};

/** Compares the log with its feeds, and checks its numbers (ARCHITECTURE, "Feeds"; ADR 0065). */
export const log: readonly Check[] = [
  position,
  queryCheck(
    'the log has its numbers up to the last without a gap, but before a feed.reset',
    ['event'],
    `select workspace_id || ' has ' || kept || ' events from ' || lowest || ' to ' || highest || ', its last number is '
        || last || '; missing before: ' || coalesce(after, 'none') as what
      from (
        select workspace_id, count(*) as kept, min(seq) as lowest, max(seq) as highest
        from {schema}.events group by workspace_id
      ) as counted
      left join {schema}.logs using (workspace_id)
      cross join lateral (
        select string_agg(seq::text, ', ' order by seq) as after from (
          select seq, type, lag(seq) over (order by seq) as previous
          from {schema}.events where events.workspace_id = counted.workspace_id and kept <> highest - lowest + 1
        ) as numbered where previous <> seq - 1 and type <> 'feed.reset'
      ) as gaps
      where after is not null or last is distinct from highest`,
  ),
  queryCheck(
    'the log has each change of a feed once since the last feed.reset, and leaves none out',
    ['event'],
    // After a reset, changes may have numbers of the feed that were lost with its database.
    `select events.workspace_id || ' has ' || count(*) || ' events of the changes ' || min(source_seq) || ' to ' || max(source_seq)
        || ' of ' || source || ', ' || count(distinct source_seq) || ' of them different' as what
      from {schema}.events
      left join (
        select workspace_id, max(seq) as seq from {schema}.events where type = 'feed.reset' group by workspace_id
      ) as reset using (workspace_id)
      where source is not null and events.seq > coalesce(reset.seq, 0)
      group by events.workspace_id, source
      having count(*) <> max(source_seq) - min(source_seq) + 1 or count(*) <> count(distinct source_seq)`,
  ),
];
