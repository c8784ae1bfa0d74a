import type { CardFilters } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import { boardVisibleTo } from '../boards/queries.ts';

/** The boards of a search, and the user whose visibility applies. */
export interface Scope {
  workspaceId: string;
  /** The ids of the boards; undefined means all boards of the workspace. */
  boards: readonly string[] | undefined;
  /**
   * The search finds cards on boards that this user sees. Absent for a list of one board, whose visibility was checked
   * before.
   */
  seenBy?: string;
}

/** A search on at most this many boards looks cards up by board, even without filters. */
const fewBoards = 20;

/** The filters of a list of cards. */
export interface Filters extends CardFilters {
  /** The ids of the cards that a list is narrowed to. */
  ids?: readonly string[];
}

/** Replaces `me` in the filters by the caller's id. */
export const filtersOf = <Given extends CardFilters>(filters: Given, userId: string): Given => {
  const { assignee_user_id: given } = filters;
  const users = [...new Set([given ?? []].flat().map((user) => (user === 'me' ? userId : user)))].sort();
  return given === undefined ? filters : { ...filters, assignee_user_id: users.length === 1 ? users[0] : users };
};

/** Splits a filter into its values and whether it also has `none`, for cards without a value. */
const splitFilter = (filter: string | string[] | undefined) => {
  const given = [filter ?? []].flat();
  const values = given.filter((value) => value !== 'none');
  return { values, orNone: values.length < given.length };
};

/** Makes the condition that a row `cards` belongs to a list: its board is in the scope, and all filters match. */
export const isListed = ({ workspaceId, boards, seenBy }: Scope, filters: Filters) => sql<boolean>`(
      ${matches(filters)} and cards.workspace_id = ${workspaceId}
      ${boards ? sql`and cards.board_id = any (${[...boards]}::uuid[])` : sql``}
      ${seenBy === undefined ? sql`` : sql`and ${isSeen(workspaceId, seenBy)}`})`;

const isSeen = (workspaceId: string, userId: string) => sql`exists (
        select from boards
        where boards.workspace_id = ${workspaceId} and boards.id = cards.board_id and boards.deleted_at is null
          and ${boardVisibleTo(userId)}
      )`;

/** Makes the condition that all filters match. */
function matches(filters: Filters): RawBuilder<boolean> {
  const { ids, archived, completed, blocked, due_before, due_after, updated_after, q, ...rest } = filters;
  const { assignee_user_id, label_id, workstream_id, priority, column_id, ...unknown } = rest;
  // A filter that is declared but not used above does not compile: otherwise requests could name it without effect.
  unknown satisfies Record<keyof typeof unknown, never>;
  const all: RawBuilder<unknown>[] = [isArchived(archived)];
  const any = (
    filter: string | string[] | undefined,
    has: (values: string[]) => RawBuilder<unknown>,
    none = sql`false`,
  ) => {
    const { values, orNone } = splitFilter(filter);
    const alternatives = [...(values.length > 0 ? [has(values)] : []), ...(orNone ? [none] : [])];
    if (alternatives.length > 0) all.push(sql`(${sql.join(alternatives, sql` or `)})`);
  };
  if (ids) all.push(hasId(ids));
  any(
    assignee_user_id,
    (users) => sql`cards.assignee_user_ids && ${users}::uuid[]`,
    sql`cards.assignee_user_ids = '{}'`,
  );
  any(label_id, (labels) => sql`cards.label_ids && ${labels}::uuid[]`, sql`cards.label_ids = '{}'`);
  any(column_id, (columns) => sql`cards.column_id = any (${columns}::uuid[])`);
  any(workstream_id, (workstreams) => sql`cards.workstream_id = any (${workstreams}::uuid[])`);
  any(priority, (priorities) => sql`cards.priority = any (${priorities}::text[])`, sql`cards.priority is null`);
  if (completed !== undefined) all.push(sql`cards.completed_at is ${completed ? sql`not null` : sql`null`}`);
  if (blocked !== undefined) all.push(blocked ? isBlocked : sql`not ${isBlocked}`);
  if (due_before ?? due_after) all.push(dueWithin(filters));
  if (updated_after) all.push(isUpdatedAfter(updated_after));
  // `like` takes quadratic time for a title and a `q` of one repeated letter; `strpos` does not.
  if (q) all.push(sql`strpos(cards.title_folded, fold_case(${q})) > 0`);
  return sql`(${sql.join(all, sql` and `)})`;
}

/** Makes the condition that a card is archived, or is not. */
export const isArchived = (archived: CardFilters['archived']) =>
  archived === 'any' ? sql`true` : sql`cards.archived_at ${archived ? sql`is not null` : sql`is null`}`;

const hasId = (ids: readonly string[]) => sql`cards.id = any (${[...ids]}::uuid[])`;

/** The condition of the index by the last change (migration 0008); it holds for every card. */
export const hasUpdate = sql`cards.updated_at > '-infinity'`;

const isUpdatedAfter = (moment: string) => sql`cards.updated_at > ${new Date(moment)}`;

const dueWithin = ({ due_before, due_after }: CardFilters) => {
  const bounds: RawBuilder<unknown>[] = [];
  if (due_before) bounds.push(sql`cards.due_date < ${new Date(due_before)}`);
  if (due_after) bounds.push(sql`cards.due_date > ${new Date(due_after)}`);
  return sql`${sql.join(bounds, sql` and `)}`;
};

/** The condition that a card has a dependency that is not completed. */
const isBlocked = sql`exists (
  select from card_dependencies
  join cards as dependency on dependency.workspace_id = card_dependencies.workspace_id
    and dependency.id = card_dependencies.depends_on_card_id
  where card_dependencies.workspace_id = cards.workspace_id and card_dependencies.card_id = cards.id
    and card_dependencies.present and dependency.completed_at is null
)`;

/**
 * Makes the queries by the indexes that may find few cards. {@link isListed} checks the conditions that an index does
 * not cover.
 * @returns a query of rows `cards` for each index
 */
export function indexesFor({ workspaceId, boards, seenBy }: Scope, filters: Filters): RawBuilder<unknown>[] {
  const indexes: RawBuilder<unknown>[] = [];
  const { ids, archived, due_before, due_after, updated_after, blocked, q = '' } = filters;
  if (ids) return [sql`select * from cards where workspace_id = ${workspaceId} and ${hasId(ids)}`];
  if (blocked) {
    indexes.push(sql`
      select cards.*
      from (select distinct card_id from card_dependencies where workspace_id = ${workspaceId} and present) as waiting
      join cards on cards.workspace_id = ${workspaceId} and cards.id = waiting.card_id
      order by waiting.card_id`);
  }
  // Before the index of all keys: these stop at the limit of rows, while that one first gathers all that match.
  if (due_before ?? due_after) {
    const [board, ...others] = boards ?? [];
    const onBoard = board && others.length === 0 ? sql`and board_id = ${board}` : sql``;
    indexes.push(sql`
      select * from cards where workspace_id = ${workspaceId} ${onBoard} and due_date is not null and ${dueWithin(filters)}
      order by due_date`);
  }
  if (updated_after) {
    indexes.push(sql`
      select * from cards where workspace_id = ${workspaceId} and ${hasUpdate} and ${isUpdatedAfter(updated_after)}
      order by updated_at`);
  }
  const keys = keysOf(filters);
  const letters = [...q].slice(0, lettersLookedUp).join('');
  const title = hasTrigram.test(letters)
    ? sql`title_folded like fold_case(${`%${letters.replaceAll(/[\\%_]/g, '\\$&')}%`})`
    : undefined;
  const byBoards = seenBy !== undefined && boards !== undefined && boards.length <= fewBoards;
  // Keys that are not ids occur in all workspaces: alone, they find cards of other workspaces.
  const isNarrow = boards || keys.some(([key]) => key?.isId);
  if (isNarrow && (byBoards || keys.length > 0 || title)) {
    const groups = [
      ...(boards ? [boards.map(idKey)] : []),
      ...(archived === 'any' ? [] : [[stateKey(`archived:${archived}`)]]),
      ...keys,
    ];
    const arrayOf = (some: Key[]) => sql`(select array[${sql.join(some.map(({ sql }) => sql))}])`;
    const all = groups.filter(({ length }) => length === 1).flat();
    const conditions = [
      ...(all.length > 0 ? [sql`${filterKeys} @> ${arrayOf(all)}`] : []),
      ...groups.filter(({ length }) => length > 1).map((some) => sql`${filterKeys} && ${arrayOf(some)}`),
      ...(title ? [title] : []),
    ];
    // Subqueries hide the keys from the planner, which then expects few cards. It has no statistics on keys that seldom
    // occur together, and would scan the whole table where it expects many. Conditions that the board's key implies are
    // left out, because with them the planner prefers a worse index.
    indexes.push(sql`
      select * from cards
      where ${sql.join(conditions, sql` and `)}`);
  }
  return indexes;
}

/** The expression of the index `cards_by_filter`. */
const filterKeys = sql`card_filter_keys(board_id, workstream_id, priority, completed_at is not null,
        archived_at is not null, label_ids, assignee_user_ids)`;

/**
 * The index is searched for this many characters of `q`. More would hardly exclude more titles, and each title found is
 * compared with the whole of `q`.
 */
const lettersLookedUp = 24;
/** `pg_trgm` needs three consecutive letters or digits. Without them, Postgres would scan the whole index. */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

/** A key, as `card_filter_keys` computes them from a card. */
interface Key {
  sql: RawBuilder<string>;
  isId: boolean;
}
const idKey = (id: string): Key => ({ sql: sql`${id}::uuid`, isId: true });
const stateKey = (state: string): Key => ({ sql: sql`md5(${state})::uuid`, isId: false });

/**
 * Makes the keys of filters in groups; a card that matches has a key of each group. The keys of `archived` and of
 * boards are left out, because `indexesFor` adds them. A filter with `none` has no group, because the absence of a
 * value has no key.
 */
function keysOf({ label_id, assignee_user_id, workstream_id, priority, completed }: CardFilters): Key[][] {
  const groups = [label_id, assignee_user_id, workstream_id, priority].map((filter, at) => {
    const { values, orNone } = splitFilter(filter);
    if (orNone) return [];
    return values.map((value) => (at < 3 ? idKey(value) : stateKey(`priority:${value}`)));
  });
  const states = completed === undefined ? [] : [stateKey(`completed:${completed}`)];
  return [...groups, states].filter(({ length }) => length > 0);
}
