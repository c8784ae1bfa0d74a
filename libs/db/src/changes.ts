import type { Caller, EventType, InternalEvent } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { eventText } from './event-text.ts';
import { type AnyTransaction, prepared } from './pool.ts';

/** A change of a resource, as its owner describes it. */
export interface ChangeDetails {
  type: EventType;
  /** The user who made it; the API key is that of the current request. */
  by: Pick<Caller, 'user_id'>;
  /** Its request; by default the current one; null for background work. */
  requestId?: string | null | undefined;
  at: Date | string;
  subject: { type: string; id: string; version?: number };
  card?: { id: string; identifier: string } | undefined;
  /** The board that a reader must see to see the event; by default, the workspace. */
  boardId?: string | null;
  /** The board that a card moved away from; for other types, a second board that a reader must see. */
  otherBoardId?: string | null;
  /** The resource as clients read it, before and after; null after a delete. */
  before?: object;
  data: object | null;
  /** What differs, where `before` and `data` do not show it. */
  differs?: { changed: string[]; previous: Record<string, string | null> };
  /** Internal events for the projections of other services. */
  internal?: readonly InternalEvent[];
}

/** A row of `changes`, without the number and time that it gets at the end of the transaction. */
export interface Change {
  id: string;
  type: EventType;
  card_id: string | null;
  board_id: string | null;
  other_board_id: string | null;
  /** The JSON of `eventText`. */
  event: string;
}

/** Fields that differ after every change, or never. */
const unsaid = new Set(['type', 'version', 'updated_at']);
/** Longest text that `previous` shows, in characters, and longest list, in ids (CONTRACT 9.1). */
export const longestPrevious = 240;
const longestPreviousList = 50;

const isShort = (value: unknown): boolean =>
  value === null || typeof value === 'number' || typeof value === 'boolean' || isShortText(value) || isShortList(value);
/** A character has at most two UTF-16 units. */
const isShortText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 2 * longestPrevious && [...value].length <= longestPrevious;

const isShortList = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= longestPreviousList && value.every(isShortText);

/**
 * Makes the event of a change (CONTRACT 9.1).
 * @returns undefined where nothing differs that clients read
 */
export const changeOf = (details: ChangeDetails): Change | undefined => {
  const { type, by, at, subject, card, boardId = null, otherBoardId = null, before, data } = details;
  const { requestId = currentContext()?.requestId } = details;
  const entries = before && data ? Object.entries(before) : [];
  const after = (data ?? {}) as Record<string, unknown>;
  const differs = entries.filter(
    ([name, value]) => !unsaid.has(name) && JSON.stringify(value) !== JSON.stringify(after[name]),
  );
  if (before && data && differs.length === 0) return undefined;
  const id = v7();
  const { changed, previous } = details.differs ?? {
    changed: differs.map(([name]) => name),
    previous: Object.fromEntries(differs.filter(([, value]) => isShort(value))),
  };
  const json = JSON.stringify;
  const event = eventText({
    id: json(id),
    type: json(type),
    at: json(at),
    userId: json(by.user_id),
    apiKeyId: json(currentContext()?.caller?.apiKeyId ?? null),
    requestId: json(requestId ?? id),
    subject: { type: json(subject.type), id: json(subject.id), version: json(subject.version ?? null) },
    card: card && { id: json(card.id), identifier: json(card.identifier) },
    boardId: json(boardId),
    changed: json(changed),
    previous: json(previous),
    data: json(data),
  });
  return {
    id,
    type,
    card_id: card?.id ?? null,
    board_id: boardId,
    other_board_id: otherBoardId,
    event,
  };
};

/** The number of rows, and the last id in the order of `ordinal`. */
const tally = (rows: string): string =>
  `count(*) as count, (array_agg(id order by ordinal desc))[1] as id from ${rows}`;

const feedOfChanges = (news: string, workspace: string): string => `feed as (
  insert into feeds as feed (workspace_id, last, last_id, noted_at)
  select ${workspace}::uuid, count(*), (array_agg(id order by ordinal desc))[1], clock_timestamp() from ${news} having count(*) > 0
  on conflict (workspace_id) do update set last = feed.last + excluded.last, before_id = feed.last_id,
    last_id = excluded.last_id,
    noted_at = greatest(clock_timestamp(), feed.noted_at + interval '1 microsecond')
  returning last, before_id, noted_at
)`;

const feedOfBoth = (news: string, internal: string, workspace: string): string => `feed as (
  insert into feeds as feed (workspace_id, last, last_id, noted_at, last_internal, last_internal_id)
  select ${workspace}::uuid, of_changes.count, of_changes.id, clock_timestamp(), of_internal.count, of_internal.id
  from (select ${tally(news)}) as of_changes, (select ${tally(internal)}) as of_internal
  where of_changes.count + of_internal.count > 0
  on conflict (workspace_id) do update set last = feed.last + excluded.last, before_id = feed.last_id,
    last_id = coalesce(excluded.last_id, feed.last_id),
    noted_at = greatest(clock_timestamp(), feed.noted_at + interval '1 microsecond'),
    last_internal = feed.last_internal + excluded.last_internal,
    last_internal_id = coalesce(excluded.last_internal_id, feed.last_internal_id)
  returning last, before_id, noted_at, last_internal
)`;

const noted = (news: string, workspace: string): string => `noted as (
  insert into changes (workspace_id, seq, id, previous_id, noted_at, type, card_id, board_id, other_board_id, event)
  select ${workspace}::uuid, last - count(*) over () + row_number() over in_order, id,
    coalesce(lag(id) over in_order, before_id), noted_at, type, card_id, board_id, other_board_id, event::json
  from ${news} cross join feed
  window in_order as (order by ordinal)
)`;

const kept = (internal: string, workspace: string): string => `kept as (
  insert into internal_events (workspace_id, seq, id, noted_at, event)
  select ${workspace}::uuid, last_internal - count(*) over () + row_number() over (order by ordinal), id, noted_at, event
  from ${internal} cross join feed
)`;

/**
 * The parts `feed` and `noted` of a statement that appends changes, and with `internal` the part `kept`, which appends
 * internal events. The feed is locked from there to the commit. Postgres begins with the part that is needed first, so
 * `news` must depend on what the other parts of the statement return.
 * @param news the part with the rows (`Change`) and their order as `ordinal`
 * @param options.workspace the parameter with the workspace; `$1` by default
 * @param options.internal the part with the internal events: `ordinal`, `id`, `event`
 */
export const notingParts = (
  news: string,
  { workspace = '$1', internal }: { workspace?: string; internal?: string } = {},
): string =>
  internal
    ? [feedOfBoth(news, internal, workspace), noted(news, workspace), kept(internal, workspace)].join(',\n')
    : [feedOfChanges(news, workspace), noted(news, workspace)].join(',\n');

/** The part of a statement that has the changes as rows. */
const newsIn = (parameter: string): string => `news as materialized (
  select * from json_to_recordset(${parameter}) as news (
    ordinal bigint, id uuid, type text, card_id uuid, board_id uuid, other_board_id uuid, event text)
)`;

/** $1 the workspace, $2 the changes. */
const append = prepared(
  'append-changes',
  `with ${newsIn('$2')},
${notingParts('news')}
select`,
);

/** $1 the workspace, $2 the changes, $3 the internal events. */
const appendBoth = prepared(
  'append-changes-and-internal-events',
  `with ${newsIn('$2')},
internal as materialized (
  select * from json_to_recordset($3) as internal (ordinal bigint, id uuid, event json)
),
${notingParts('news', { internal: 'internal' })}
select`,
);

/**
 * Appends to the workspace's feed, as the last statement of a transaction: the feed is locked from here to the commit,
 * so numbers are dense and in the order of commits (ARCHITECTURE, "Feeds").
 * @param changes for clients, by way of the log
 * @param internal for the projections of other services
 */
export const appendChanges = async (
  tx: AnyTransaction,
  workspaceId: string,
  changes: readonly (Change | undefined)[],
  internal: readonly InternalEvent[] = [],
): Promise<void> => {
  const news = changes.filter((change) => change !== undefined);
  const rows = JSON.stringify(news.map((change, at) => ({ ordinal: at + 1, ...change })));
  if (internal.length > 0) {
    const events = internal.map((event, at) => ({ ordinal: at + 1, id: event.id, event }));
    await appendBoth.run(tx, [workspaceId, rows, JSON.stringify(events)]);
  } else if (news.length > 0) {
    await append.run(tx, [workspaceId, rows]);
  }
};

/**
 * Appends one change with its internal events. Appends nothing where nothing differs that clients read. @see
 * appendChanges
 */
export const appendChange = async (tx: AnyTransaction, workspaceId: string, details: ChangeDetails): Promise<void> => {
  const change = changeOf(details);
  if (change) await appendChanges(tx, workspaceId, [change], details.internal);
};
