import type { CardFilters } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';
import type { StatedCard } from './documents.ts';
import { cardColumns } from './queries.ts';

/** Right after this card of this column a page begins. */
export interface PlaceInBoard {
  columnId: string;
  columnPosition: number;
  cardPosition: number;
}

/** A card with what the cursor after it needs to know of its column. */
export type ListedCard = StatedCard & { column_position: number; column_version: number };

interface Listing {
  workspaceId: string;
  boardId: string;
  filters: CardFilters;
  after: PlaceInBoard | undefined;
  /** How many cards the page still lacks; 0 where it is full and only needs to know whether there are more. */
  limit: number;
}

/** What was found of a page. */
export interface PartOfPage {
  /** In the list's order; one more than the limit where there are more. */
  cards: ListedCard[];
  /** The card after which to look on, as the page is not full and the list not at its end. */
  end: ListedCard | undefined;
}

/** How many cards statements look at. */
interface Reach {
  /** The first of them: just beyond a page, which is all that a board takes whose cards match. */
  firstRows?: number;
  /** Bounds a search to a fraction of a second, for any titles and any `q`. */
  maxRows?: number;
}

type Read = <T>(query: (tx: Reader) => Promise<T>) => Promise<T>;

const longest = 5_000;

/**
 * Begins a page of cards of a board by column, then by position; both are unique, so no further key is needed
 * (api-decisions, "Cards").
 *
 * Two ways lead to a page. Walking the board in its order is fast where many cards match; looking up all matches in an
 * index and sorting them is fast where few do. Statistics do not show reliably which is shorter (ADR 0017). So both are
 * tried in turn, each as far as the same number of rows, then eight times as far, until one finishes: the cost stays in
 * proportion to that of the better way. Where none does within `maxRows`, only the walk goes on (`walkOn`).
 * @param read runs each statement when its turn comes
 */
export const beginPage = async (
  read: Read,
  listing: Listing,
  { firstRows = 2 * (listing.limit + 1), maxRows = longest }: Reach = {},
): Promise<PartOfPage> => {
  for (let rows = firstRows; ; rows *= 8) {
    const reach = Math.min(rows, maxRows);
    const walked = await read((tx) => readAlong(tx, listing, walk(listing, reach)));
    if (!walked.end) return walked;
    for (const indexed of indexesFor(listing)) {
      const found = await read((tx) => readAlong(tx, listing, lookUp(indexed)(listing, reach)));
      if (!found.end) return found;
    }
    if (rows >= maxRows) return walked;
  }
};

/** Continues a page after the card where the part before ended, for as many rows as one statement may look at. */
export const walkOn = (read: Read, listing: Listing, { maxRows = longest }: Reach = {}): Promise<PartOfPage> =>
  read((tx) => readAlong(tx, listing, walk(listing, maxRows)));

/** A card found on the way, in the list's order. One that does not match only shows where the walk has got to. */
interface Found {
  id: string;
  matches: boolean;
  /** The way was left here, unfinished. */
  unfinished: boolean;
  column_position: number;
  column_version: number;
  position: number;
}

const readAlong = async (
  tx: Reader,
  { workspaceId, limit }: Listing,
  found: RawBuilder<Found>,
): Promise<PartOfPage> => {
  const query = tx
    .selectFrom(found.as('found'))
    .innerJoin('cards', (join) => join.onRef('cards.id', '=', 'found.id').on('cards.workspace_id', '=', workspaceId))
    .innerJoin('workstreams', (join) =>
      join
        .onRef('workstreams.workspace_id', '=', 'cards.workspace_id')
        .onRef('workstreams.id', '=', 'cards.workstream_id'),
    )
    .select([...cardColumns, 'found.column_position', 'found.column_version', 'found.matches', 'found.unfinished'])
    .select([sql<string>`cards.xmin::text`.as('row_xmin'), 'workstreams.version as workstream_version'])
    .orderBy('found.column_position')
    .orderBy('found.position');
  const rows = await readPageRows(tx, query, { limit, texts: ['title', 'description'] });
  const cards = rows.filter((row) => row.matches);
  return { cards, end: cards.length <= limit ? rows.find((row) => row.unfinished) : undefined };
};

/**
 * The first `rows` cards from where the page begins; each column from its own index, and no further than the page needs.
 */
const walk = ({ workspaceId, boardId, filters, after, limit }: Listing, rows: number) => sql<Found>`(
  select *, nth = ${rows} as unfinished
  from (
    select walked.*, columns.position as column_position, columns.version as column_version,
      row_number() over (order by columns.position, walked.position) as nth
    -- In order from the start, so that a column is read only when those before it have not filled the page.
    from (
      select * from columns
      where workspace_id = ${workspaceId} and board_id = ${boardId}
        ${filters.column_id ? sql`and id = ${filters.column_id}` : sql``}
        ${after ? sql`and (position > ${after.columnPosition} or id = ${after.columnId})` : sql``}
      order by position
      offset 0
    ) as columns
    cross join lateral (
      select cards.id, cards.position, ${matches(filters)} as matches
      from cards
      where cards.workspace_id = columns.workspace_id and cards.column_id = columns.id
        and ${served(filters)}
        ${after ? sql`and cards.position > ${firstPosition(after)}` : sql``}
      order by cards.position
      limit ${rows}
    ) as walked
    order by columns.position, walked.position
    limit ${rows}
  ) as walked
  where matches or nth = ${rows}
  order by column_position, position
  limit ${limit + 1}
)`;

/** What an index in the list's order knows of its own (migration 0009). */
const served = ({ archived, completed }: CardFilters) =>
  sql`cards.archived_at ${archived ? sql`is not null` : sql`is null`} ${completed ? sql`and cards.completed_at is not null` : sql``}`;

/** Uses only the column's own row, so that the index can serve it as a lower bound. */
const firstPosition = ({ columnId, cardPosition }: PlaceInBoard) =>
  sql`case when columns.id = ${columnId} then ${cardPosition}::float8 else '-infinity'::float8 end`;

/** Every card that an index finds, unless there are more than `rows`. */
const lookUp =
  (indexed: RawBuilder<unknown>) =>
  ({ workspaceId, boardId, filters, after, limit }: Listing, rows: number) =>
    sql<Found>`(
    with candidates as materialized (
      select id, column_id, position, ${matches(filters)} as matches, row_number() over () > ${rows} as unfinished
      from (${indexed} limit ${rows + 1}) as cards
    )
    select candidates.id, candidates.position, not unfinished as matches, unfinished,
      columns.position as column_position, columns.version as column_version
    from candidates
    left join columns on columns.workspace_id = ${workspaceId} and columns.board_id = ${boardId}
      and columns.id = candidates.column_id
    where unfinished or (
      matches and columns.id is not null and (select count(*) from candidates) <= ${rows}
      ${filters.column_id ? sql`and columns.id = ${filters.column_id}` : sql``}
      ${after ? sql`and (columns.position > ${after.columnPosition} or columns.id = ${after.columnId})` : sql``}
      ${after ? sql`and candidates.position > ${firstPosition(after)}` : sql``}
    )
    order by column_position, position
    limit ${limit + 1}
  )`;

/** The indexes that may find few cards. Conditions that no index covers are checked by `matches`. */
function indexesFor({ workspaceId, boardId, filters }: Listing): RawBuilder<unknown>[] {
  const indexes: RawBuilder<unknown>[] = [];
  const { due_before, due_after, blocked, q = '' } = filters;
  const ofBoard = sql`select * from cards where workspace_id = ${workspaceId} and board_id = ${boardId}`;
  if (blocked) {
    indexes.push(sql`
      select cards.*
      from (select distinct card_id from card_dependencies where workspace_id = ${workspaceId} and present) as waiting
      join cards on cards.workspace_id = ${workspaceId} and cards.id = waiting.card_id
      order by waiting.card_id`);
  }
  const keys = keysOf(filters);
  const letters = [...q].slice(0, lettersLookedUp).join('');
  const title = hasTrigram.test(letters)
    ? sql`title_folded like fold_case(${`%${letters.replaceAll(/[\\%_]/g, '\\$&')}%`})`
    : undefined;
  if (keys.length > 0 || title) {
    // The keys as a subquery, so that the planner expects few cards: otherwise it scans the whole table where it thinks
    // that many match, and it has no statistics on keys that seldom occur together. Conditions that the board's key
    // implies are left out, or the planner would prefer a worse index.
    indexes.push(sql`
      select * from cards
      where card_filter_keys(board_id, workstream_id, priority, completed_at is not null, archived_at is not null, label_ids,
            assignee_user_ids)
          @> (select array[${sql.join([sql`${boardId}::uuid`, stateKey(`archived:${filters.archived}`), ...keys])}])
        ${title ? sql`and ${title}` : sql``}`);
  }
  if (due_before ?? due_after) {
    indexes.push(sql`${ofBoard} and due_date is not null and ${dueWithin(filters)} order by due_date`);
  }
  return indexes;
}

/**
 * Only this many characters of `q` are looked up in the index: more would hardly narrow the titles, and each one found
 * is compared with all of `q`.
 */
const lettersLookedUp = 24;
/** Three letters or digits on end, as `pg_trgm` wants them; without, it would be read as a whole. */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

/** As `card_filter_keys` makes them of a card; those that every list has left out. */
function keysOf({ label_id, assignee_user_id, workstream_id, priority, completed }: CardFilters) {
  const ids = [label_id, assignee_user_id, workstream_id].filter((id) => id !== undefined);
  const states = [priority && `priority:${priority}`, completed !== undefined && `completed:${completed}`];
  return [
    ...ids.map((id) => sql`${id}::uuid`),
    ...states.filter((state) => state).map((state) => stateKey(`${state}`)),
  ];
}
const stateKey = (state: string) => sql`md5(${state})::uuid`;

/** The filters of `GET /boards/{id}/cards` that look at a card alone, wherever it stands; all of them must hold. */
function matches(filters: CardFilters): RawBuilder<boolean> {
  const { assignee_user_id, label_id, workstream_id, priority, completed, blocked, due_before, due_after, q } = filters;
  const all: RawBuilder<unknown>[] = [sql`cards.archived_at ${filters.archived ? sql`is not null` : sql`is null`}`];
  if (assignee_user_id) all.push(sql`${assignee_user_id}::uuid = any (cards.assignee_user_ids)`);
  if (label_id) all.push(sql`${label_id}::uuid = any (cards.label_ids)`);
  if (workstream_id) all.push(sql`cards.workstream_id = ${workstream_id}`);
  if (priority) all.push(sql`cards.priority = ${priority}`);
  if (completed !== undefined) all.push(sql`cards.completed_at is ${completed ? sql`not null` : sql`null`}`);
  if (blocked !== undefined) all.push(blocked ? isBlocked : sql`not ${isBlocked}`);
  if (due_before ?? due_after) all.push(dueWithin(filters));
  // Not `like`, which takes the square of their length for a title and a `q` of one letter repeated.
  if (q) all.push(sql`strpos(cards.title_folded, fold_case(${q})) > 0`);
  return sql`(${sql.join(all, sql` and `)})`;
}

const dueWithin = ({ due_before, due_after }: CardFilters) => {
  const bounds: RawBuilder<unknown>[] = [];
  if (due_before) bounds.push(sql`cards.due_date < ${new Date(due_before)}`);
  if (due_after) bounds.push(sql`cards.due_date > ${new Date(due_after)}`);
  return sql`${sql.join(bounds, sql` and `)}`;
};

/** Has a dependency that is not completed. */
const isBlocked = sql`exists (
  select from card_dependencies
  join cards as dependency on dependency.workspace_id = card_dependencies.workspace_id
    and dependency.id = card_dependencies.depends_on_card_id
  where card_dependencies.workspace_id = cards.workspace_id and card_dependencies.card_id = cards.id
    and card_dependencies.present and dependency.completed_at is null
)`;
