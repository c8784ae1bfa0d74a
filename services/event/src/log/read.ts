import { type EventOrder, type EventType, eventTypes, type LoggedEvent, type Wanted } from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import type { Reader } from '../context.ts';
import { hasKey, keyOf, userOf } from './actors.ts';
import { findLogs } from './append.ts';

/** A reading of a log, without a check of visibility. */
export interface Reading extends Wanted {
  workspaceId: string;
  /** Events with a greater number; undefined: from the oldest one. */
  after: number | undefined;
  /** Events with no greater number; undefined: to the end. */
  until?: number | undefined;
  /** Default `asc`. */
  order?: EventOrder;
  /** Most events. */
  limit: number;
  /** Most numbers that are read, without a filter by card or actor. Default: as many as are likely to fill `limit`. */
  span?: number;
  /** Boards whose events are skipped, except those that may have left the reader's sight. */
  hidden?: readonly string[];
}

export interface Read {
  /** In order; fewer than there are where they do not fit into one message. */
  events: LoggedEvent[];
  /** Everything up to here was read; in descending order, everything above it. */
  through: number;
  /** The last number of the log. */
  last: number;
  /** The oldest number that was not purged; one more than `last` where there is none. */
  oldest: number;
}

/** Numbers in one step of a reading that skips some of them. */
const narrowedSpan = 10_000;
/** The columns of an event. As strings in JSON, texts take up to twice their length. */
const columns = 'seq, id, type, card_id, board_id, other_board_id, event::text as text';
const textBytes = 350_000;

/** The numbers of a reading, and their days. */
interface Range {
  last: number;
  oldest: number;
  after: number;
  to: number;
  first_day: string | null;
  last_day: string | null;
}

/** The day of a number: days rise with numbers. */
const dayOf = (seq: string) => `(
  select logged_on::text from days
  where days.workspace_id = $1 and first_seq <= ${seq} order by logged_on desc limit 1)`;

const endOfRange = {
  asc: `cross join lateral (select greatest($2::bigint, oldest - 1) as after) as begun
cross join lateral (select least(last, $3::bigint, after + $4::bigint) as "to") as ended`,
  desc: `cross join lateral (select least(last, $3::bigint) as "to") as ended
cross join lateral (select greatest($2::bigint, oldest - 1, "to" - $4::bigint) as after) as begun`,
};

/** One statement per order: $1 the workspace, $2 after, $3 until, $4 how many numbers. */
const rangeIn = (
  order: EventOrder,
) => `select last, oldest, after, "to", ${dayOf('after + 1')} as first_day, ${dayOf('"to"')} as last_day
from logs
cross join lateral (
  select coalesce((
    select first_seq from days where days.workspace_id = $1 order by logged_on limit 1), last + 1) as oldest
) as kept
${endOfRange[order]}
where logs.workspace_id = $1`;
export const findRange = {
  asc: prepared<Range>('range-of-log', rangeIn('asc')),
  desc: prepared<Range>('range-of-log-desc', rangeIn('desc')),
};

/** Cuts a selection of events to the size of a message; `total` is their number without the cut. */
const cut = (order: EventOrder, selection: string) => `select ${columns}, total
from (
  select *, count(*) over () as total,
    sum(octet_length(event::text)) over (order by seq ${order} rows between unbounded preceding and 1 preceding) as before
  from (${selection}) as selected
) as measured
where coalesce(before, 0) < ${textBytes}
order by seq ${order}`;

type EventRow = LoggedEvent & { total: number };

/** Conditions of all statements: types, boards (also the one that a card moved away from), hidden boards. */
const wanted = (types: string, boards: string, hidden: string) => `
    (${types}::text[] is null or type = any (${types}))
    and (${boards}::uuid[] is null or type = 'feed.reset' or board_id = any (${boards})
      or (type = 'card.moved' and other_board_id = any (${boards})))
    and (board_id is null or board_id <> all (${hidden}::uuid[])
      -- Events that take a board or card out of sight reach the callers who saw it.
      or type in ('board.updated', 'member.removed') or (type = 'card.moved' and other_board_id <> all (${hidden}::uuid[])))`;

/**
 * $1 the workspace, $2 after, $3 to, $4 limit, $5 types, $6 boards, $7 hidden boards, $8 and $9 the first and the last
 * day, so that Postgres plans for their partitions alone.
 */
const eventsIn = (order: EventOrder) =>
  cut(
    order,
    `
    select * from events
    where workspace_id = $1 and seq > $2 and seq <= $3
      and logged_on between $8::date and $9::date
      and ${wanted('$5', '$6', '$7')}
    order by seq ${order} limit $4`,
  );
export const readEvents = {
  asc: prepared<EventRow>('read-events', eventsIn('asc')),
  desc: prepared<EventRow>('read-events-desc', eventsIn('desc')),
};

/**
 * As {@link readEvents}, from an index of few events; $10 what they are found by, $11 an actor.
 * @param found the conditions of the indexes
 */
const fewEventsIn = (order: EventOrder, found: readonly string[]) => {
  const by = (condition: string) => `
      (select * from events
      where workspace_id = $1 and ${condition} and seq > $2 and seq <= $3 and logged_on between $8::date and $9::date
        and ${wanted('$5', '$6', '$7')}
        and (type = 'feed.reset' or $11::text is null or ${userOf} = $11 or (${hasKey} and ${keyOf} = $11))
      order by seq ${order} limit $4)`;
  return cut(
    order,
    `
    select * from (${[...found, "type = 'feed.reset' and card_id is null"].map(by).join('\n      union all')}
    ) as all_kinds
    order by seq ${order} limit $4`,
  );
};
const ofCard = ['card_id = $10'];
export const readCardEvents = {
  asc: prepared<EventRow>('read-card-events', fewEventsIn('asc', ofCard)),
  desc: prepared<EventRow>('read-card-events-desc', fewEventsIn('desc', ofCard)),
};
const ofActor = [`type <> 'feed.reset' and ${userOf} = $10`, `${hasKey} and ${keyOf} = $10`];
export const readActorEvents = {
  asc: prepared<EventRow>('read-actor-events', fewEventsIn('asc', ofActor)),
  desc: prepared<EventRow>('read-actor-events-desc', fewEventsIn('desc', ofActor)),
};

/** A row of a lane. The first one comes without an event where there is none. */
type LaneRow = { oldest: number } & (LoggedEvent | { [Column in keyof LoggedEvent]: null });

/**
 * The events of a card, a board or the workspace itself: $1 the workspace, $2 the id (not for the workspace), $3 the
 * first number, $4 the last, $5 limit.
 */
const laneStatement = (kind: string, condition: string) =>
  prepared<LaneRow>(
    `read-${kind}-from`,
    `select oldest, part.*
from (select coalesce(
  (select first_seq from days where days.workspace_id = $1 order by logged_on limit 1),
  (select last + 1 from logs where logs.workspace_id = $1)) as oldest) as kept
left join lateral (
  select ${columns} from events
  where workspace_id = $1 and ${condition} and seq >= $3 and seq <= $4
    and logged_on >= coalesce(${dayOf('$3')}::date, '-infinity')
  order by seq limit $5) as part on true
order by seq`,
  );
const readOfLane = {
  card: laneStatement('card', 'card_id = $2::uuid'),
  board: laneStatement('board', 'card_id is null and board_id = $2::uuid'),
  workspace: laneStatement('workspace', 'card_id is null and board_id is null and $2::uuid is null'),
};

/** The types of a filter; null for all. Every reader gets `feed.reset`. */
const namesOf = (types: Wanted['types']): EventType[] | null => {
  if (types === undefined) return null;
  const asked = [types].flat();
  return eventTypes.filter(
    (type) => type === 'feed.reset' || asked.includes(type) || asked.includes(`${type.split('.', 1)[0]}.*`),
  );
};

/** Reads the next events of a log, or the previous ones. Purged events are skipped; `oldest` shows that. */
export const readRaw = async (db: Reader, reading: Reading): Promise<Read> => {
  const { workspaceId, limit, until = Number.MAX_SAFE_INTEGER, order = 'asc', hidden = [], card_id, actor } = reading;
  const isNarrowed = reading.types !== undefined || reading.board_id !== undefined;
  const isOfFew = card_id !== undefined || actor !== undefined;
  const { span = isNarrowed ? narrowedSpan : limit } = isOfFew ? { span: Number.MAX_SAFE_INTEGER } : reading;
  const [range] = await findRange[order].run(db, [workspaceId, reading.after ?? 0, until, span]);
  if (!range) return { events: [], through: reading.after ?? 0, last: 0, oldest: 1 };
  const { last, oldest, after, to, first_day, last_day } = range;
  if (after >= to) return { events: [], through: after, last, oldest };
  const boards = reading.board_id === undefined ? null : [reading.board_id].flat();
  const types = namesOf(reading.types);
  const values = [workspaceId, after, to, limit, types, boards, hidden, first_day, last_day];
  const few = card_id === undefined ? readActorEvents : readCardEvents;
  const rows = isOfFew
    ? await few[order].run(db, [...values, card_id ?? actor, actor ?? null])
    : await readEvents[order].run(db, values);
  const events = rows.map(({ total: _, ...event }) => event);
  const total = rows[0]?.total ?? 0;
  const isWhole = total < limit && events.length === total;
  const edge = events.at(-1)?.seq;
  const through = order === 'asc' ? (isWhole ? to : (edge ?? to)) : isWhole || edge === undefined ? after : edge - 1;
  return { events, through, last, oldest };
};

/** Reads the last number of a log; 0 where there is none. */
export const findLast = async (db: Reader, workspaceId: string): Promise<number> =>
  (await findLogs(db, [workspaceId])).get(workspaceId)?.last ?? 0;

/**
 * A sequence that is sent in order: the events of a card, of a board without its cards, or of the workspace without
 * both.
 */
export interface LaneReading {
  workspaceId: string;
  of: { kind: keyof typeof readOfLane; id: string | null };
  from: number;
  to: number;
  limit: number;
}

/** Reads a lane. Purged events are left out; `oldest` shows that. */
export const readLane = async (db: Reader, { workspaceId, of, from, to, limit }: LaneReading) => {
  const rows = await readOfLane[of.kind].run(db, [workspaceId, of.id, from, to, limit]);
  const events = rows.flatMap(({ oldest: _, ...event }) => (event.seq === null ? [] : [event as LoggedEvent]));
  return { events, oldest: rows[0]?.oldest ?? 1 };
};
