import { type EventType, type FeedOwner, feedOwners } from '@cardinal/contracts';
import { numberedEvent, prepared } from '@cardinal/db';
import type { Reader, Tx } from '../context.ts';
import type { Positions } from '../fill/merge.ts';

/** The log of a workspace: its last number, and its positions in the feeds. */
export interface Log {
  workspace_id: string;
  last: number;
  /** The highest number that the register allows. */
  through: number;
  /** The epoch of the database in which the log was last corrected. */
  epoch: number;
  positions: Positions;
}

/** An event to append. Its `event` is the JSON of `eventText` of libs/db, without the number. */
export interface NewEvent {
  id: string;
  type: EventType;
  card_id: string | null;
  board_id: string | null;
  other_board_id: string | null;
  /** Its feed and number there; null for an event of the log itself. */
  source: FeedOwner | null;
  source_seq: number | null;
  event: string;
}

/** An append to a locked log. */
export interface Append {
  /** The log after it. */
  log: Log;
  /** Events, whose numbers end at `log.last`. */
  events: readonly NewEvent[];
}

interface LogRow extends Omit<Log, 'positions'> {
  positions: Partial<Positions>;
}

const positionsOf = (stored: Partial<Positions>): Positions =>
  Object.fromEntries(feedOwners.map((owner) => [owner, stored[owner] ?? { seq: 0, id: null }])) as Positions;
const logOf = ({ positions, ...log }: LogRow): Log => ({ ...log, positions: positionsOf(positions) });
const byId = (logs: LogRow[]) => new Map(logs.map((row) => [row.workspace_id, logOf(row)]));

const columns = 'workspace_id, last, through, epoch, positions';
/** $1 the workspaces. */
const find = prepared<LogRow>('find-logs', `select ${columns} from logs where workspace_id = any ($1::uuid[])`);
const lock = prepared<LogRow>('lock-logs', `${find.text} order by workspace_id for no key update`);
const make = prepared(
  'make-logs',
  'insert into logs (workspace_id) select id from unnest($1::uuid[]) as id order by id on conflict do nothing',
);

/** Reads the logs of workspaces. @returns them by id; an empty one where there is none yet */
export const findLogs = async (db: Reader, ids: readonly string[]): Promise<Map<string, Log>> => {
  const found = byId(await find.run(db, [ids]));
  return new Map(
    ids.map((id) => [
      id,
      found.get(id) ?? { workspace_id: id, last: 0, through: 0, epoch: 1, positions: positionsOf({}) },
    ]),
  );
};

/** Locks the logs of workspaces to the end of the transaction, and creates missing ones. @returns them by id */
export const lockLogs = async (tx: Tx, ids: readonly string[]): Promise<Map<string, Log>> => {
  const locked = byId(await lock.run(tx, [ids]));
  if (locked.size === ids.length) return locked;
  await make.run(tx, [ids]);
  return byId(await lock.run(tx, [ids]));
};

/**
 * $1 the logs as they are to be; $2 the events without their JSON; $3 that, one event a line: within the JSON of $2 it would
 * be read twice
 *
 * A day is the database's, in UTC, and never before that of the log's last event: so numbers rise with days.
 */
export const writeEvents = prepared(
  'append-events',
  `with log as (
  update logs set last = new.last, through = new.through, epoch = new.epoch, positions = new.positions,
    logged_on = case when new.count = 0 then logs.logged_on
      else greatest(logs.logged_on, (clock_timestamp() at time zone 'utc')::date) end
  from json_to_recordset($1) as new (
    workspace_id uuid, last bigint, through bigint, epoch integer, positions jsonb, count integer)
  where logs.workspace_id = new.workspace_id
  returning logs.workspace_id, logs.last, logs.logged_on, new.count
),
day as (
  insert into days (workspace_id, logged_on, first_seq)
  select workspace_id, logged_on, last - count + 1 from log where count > 0
  on conflict do nothing
)
insert into events (
  workspace_id, seq, logged_on, id, type, card_id, board_id, other_board_id, source, source_seq, event)
select workspace_id, seq, logged_on, id, type, card_id, board_id, other_board_id, source, source_seq, event::json
from rows from (
  json_to_recordset($2) as (
    workspace_id uuid, seq bigint, id uuid, type text, card_id uuid, board_id uuid, other_board_id uuid, source text,
    source_seq bigint),
  string_to_table($3, E'\\n')
) as new (
  workspace_id, seq, id, type, card_id, board_id, other_board_id, source, source_seq, event)
join log using (workspace_id)`,
);

/** Appends to locked logs, in one statement. */
export const append = async (tx: Tx, appends: readonly Append[]): Promise<void> => {
  const logs = appends.map(({ log, events }) => ({ ...log, count: events.length }));
  const numbered = appends.flatMap(({ log: { workspace_id, last }, events }) =>
    events.map((event, at) => ({ ...event, workspace_id, seq: last - events.length + 1 + at })),
  );
  const rows = numbered.map(({ event: _, ...columns }) => columns);
  // Stored JSON has no line breaks: within texts they are escaped.
  const lines = numbered.map(({ event, seq }) => numberedEvent(event, seq));
  await writeEvents.run(tx, [JSON.stringify(logs), JSON.stringify(rows), lines.join('\n')]);
};
