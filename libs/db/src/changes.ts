import type { Caller, EventType, InternalEvent } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { type AnyTransaction, prepared } from './pool.ts';

/** What happened, as the owner of the changed resource says it. */
export interface ChangeDetails {
  type: EventType;
  /** Who did it. */
  by: Pick<Caller, 'user_id'>;
  /** Of the request that did it; left out: the current one; null: it happened in the background. */
  requestId?: string | null | undefined;
  at: Date | string;
  subject: { type: string; id: string; version?: number };
  card?: { id: string; identifier: string } | undefined;
  /** Who sees this board sees the event; left out: the workspace. */
  boardId?: string | null;
  /** The board that a card moved away from; of other types, one that has to be seen too. */
  otherBoardId?: string | null;
  /** The resource as clients read it, before and after; null after a delete. */
  before?: object;
  data: object | null;
  /** What differs, where before and after do not say it themselves. */
  differs?: { changed: string[]; previous: Record<string, string | null> };
  /** What the projections of other services take of it. */
  internal?: readonly InternalEvent[];
}

/** A row of `changes`, to which its number and the time come at the end of the transaction. */
export interface Change {
  id: string;
  type: EventType;
  card_id: string | null;
  board_id: string | null;
  other_board_id: string | null;
  /** JSON that begins with the id: the log puts `seq` in behind it. */
  event: string;
}

/** Fields that differ after any change, or never. */
const unsaid = new Set(['type', 'version', 'updated_at']);
/** Longer texts are not kept as `previous` (CONTRACT 9.1). */
export const longestPrevious = 240;

const isShort = (value: unknown): boolean =>
  value === null || typeof value === 'number' || typeof value === 'boolean' || isShortText(value);
/** A character is at most two units long. */
const isShortText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 2 * longestPrevious && [...value].length <= longestPrevious;

/**
 * The event of a change (CONTRACT 9.1).
 * @returns undefined where nothing that clients read differs
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
  const event = {
    id,
    type,
    at: typeof at === 'string' ? at : at.toISOString(),
    actor: { user_id: by.user_id },
    request_id: requestId ?? id,
    subject: { type: subject.type, id: subject.id, version: subject.version ?? null },
    card: card ? { id: card.id, identifier: card.identifier } : null,
    board_id: boardId,
    ...(details.differs ?? {
      changed: differs.map(([name]) => name),
      previous: Object.fromEntries(differs.filter(([, value]) => isShort(value))),
    }),
    data,
  };
  return {
    ...{ id, type, card_id: card?.id ?? null, board_id: boardId, other_board_id: otherBoardId },
    event: JSON.stringify(event),
  };
};

/** How many rows there are, and the last id of them, in the order of `ordinal`. */
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
 * The parts `feed` and `noted` of a statement that notes changes, and with `internal` the part `kept`, which notes internal
 * events. The feed stays locked from there to the commit, and Postgres begins with whichever part is needed first: so
 * `news` must need what the others return.
 * @param news the part that has the rows (`Change`), with their order as `ordinal`
 * @param options.workspace the parameter that names the workspace; `$1` by default
 * @param options.internal the part that has the internal events: `ordinal`, `id`, `event`
 */
export const notingParts = (
  news: string,
  { workspace = '$1', internal }: { workspace?: string; internal?: string } = {},
): string =>
  internal
    ? [feedOfBoth(news, internal, workspace), noted(news, workspace), kept(internal, workspace)].join(',\n')
    : [feedOfChanges(news, workspace), noted(news, workspace)].join(',\n');

/** The part of a statement that has changes as rows. */
const newsIn = (parameter: string): string => `news as materialized (
  select * from json_to_recordset(${parameter}) as news (
    ordinal bigint, id uuid, type text, card_id uuid, board_id uuid, other_board_id uuid, event text)
)`;

/** $1 the workspace, $2 the changes */
const append = prepared(
  'append-changes',
  `with ${newsIn('$2')},
${notingParts('news')}
select`,
);

/** $1 the workspace, $2 the changes, $3 the internal events */
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
 * Writes what followers hear, as the very last statement of a transaction: from here to its commit the feed of the
 * workspace is locked, so its numbers are dense and in the order of commits (ARCHITECTURE, "Feeds").
 * @param changes what clients hear, by way of the log
 * @param internal what the projections of other services take
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
 * Writes one change with the internal events that belong to it; nothing where nothing that clients read differs.
 * @see appendChanges
 */
export const appendChange = async (tx: AnyTransaction, workspaceId: string, details: ChangeDetails): Promise<void> => {
  const change = changeOf(details);
  if (change) await appendChanges(tx, workspaceId, [change], details.internal);
};
