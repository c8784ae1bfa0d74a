import type { Caller, EventType } from '@cardinal/contracts';
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
/** Longer texts are not kept as `previous` (Beyond the specification, section 5). */
export const longestPrevious = 240;

const isShort = (value: unknown): boolean =>
  value === null || typeof value === 'number' || typeof value === 'boolean' || isShortText(value);
/** A character is at most two units long. */
const isShortText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 2 * longestPrevious && [...value].length <= longestPrevious;

/**
 * The event of a change (Beyond the specification, section 5).
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

/**
 * The parts `feed` and `noted` of a statement that notes changes. The feed stays locked from there to
 * the commit, and Postgres begins with whichever part is needed first: so `news` must need what the others return.
 * @param news the part that has the rows (`Change`), with their order as `ordinal`
 * @param workspace the parameter that names the workspace
 */
export const notingParts = (news: string, workspace = '$1'): string => `feed as (
  insert into feeds as feed (workspace_id, last, last_id, noted_at)
  select ${workspace}::uuid, count(*), (array_agg(id order by ordinal desc))[1], clock_timestamp() from ${news} having count(*) > 0
  on conflict (workspace_id) do update set last = feed.last + excluded.last, before_id = feed.last_id,
    last_id = excluded.last_id, noted_at = greatest(clock_timestamp(), feed.noted_at + interval '1 microsecond')
  returning last, before_id, noted_at
),
noted as (
  insert into changes (workspace_id, seq, id, previous_id, noted_at, type, card_id, board_id, other_board_id, event)
  select ${workspace}::uuid, last - count(*) over () + row_number() over in_order, id,
    coalesce(lag(id) over in_order, before_id), noted_at, type, card_id, board_id, other_board_id, event::json
  from ${news} cross join feed
  window in_order as (order by ordinal)
)`;

/** $1 the workspace, $2 the changes */
const append = prepared(
  'append-changes',
  `with news as materialized (
  select * from json_to_recordset($2) as news (
    ordinal bigint, id uuid, type text, card_id uuid, board_id uuid, other_board_id uuid, event text)
),
${notingParts('news')}
select`,
);

/**
 * Writes what followers hear, as the very last statement of a transaction: from here to its commit the feed of the
 * workspace is locked, so its numbers are dense and in the order of commits (architecture, "Feeds").
 */
export const appendChanges = async (
  tx: AnyTransaction,
  workspaceId: string,
  changes: readonly (Change | undefined)[],
): Promise<void> => {
  const news = changes.filter((change) => change !== undefined);
  if (news.length === 0) return;
  await append.run(tx, [workspaceId, JSON.stringify(news.map((change, at) => ({ ordinal: at + 1, ...change })))]);
};
