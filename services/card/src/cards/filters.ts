import type { CardFilters } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import { boardVisibleTo } from '../boards/queries.ts';

/** Where cards are looked for. */
export interface Scope {
  workspaceId: string;
  /** On these boards; undefined: on any of the workspace. */
  boards: readonly string[] | undefined;
  /** Only on boards that this user sees; left out where the list is of one board, which was looked at before. */
  seenBy?: string;
}

/** So few boards alone may leave few of the cards of a workspace. */
const fewBoards = 20;

/** The filters with the caller in place of `me`. */
export const filtersOf = (filters: CardFilters, userId: string): CardFilters => {
  const { assignee_user_id: given } = filters;
  const users = [...new Set([given ?? []].flat().map((user) => (user === 'me' ? userId : user)))].sort();
  return given === undefined ? filters : { ...filters, assignee_user_id: users.length === 1 ? users[0] : users };
};

/** What one filter asks for: any of the values, or none at all where that is asked for. */
const askedBy = (filter: string | string[] | undefined) => {
  const given = [filter ?? []].flat();
  const values = given.filter((value) => value !== 'none');
  return { values, orNone: values.length < given.length };
};

/** Whether a row `cards` is one of a list, wherever in its order it is: on one of its boards, and all filters hold. */
export const isListed = ({ workspaceId, boards, seenBy }: Scope, filters: CardFilters) => sql<boolean>`(
      ${matches(filters)} and cards.workspace_id = ${workspaceId}
      ${boards ? sql`and cards.board_id = any (${[...boards]}::uuid[])` : sql``}
      ${seenBy === undefined ? sql`` : sql`and ${isSeen(workspaceId, seenBy)}`})`;

const isSeen = (workspaceId: string, userId: string) => sql`exists (
        select from boards
        where boards.workspace_id = ${workspaceId} and boards.id = cards.board_id and boards.deleted_at is null
          and ${boardVisibleTo(userId)}
      )`;

/** All filters must hold. */
function matches(filters: CardFilters): RawBuilder<boolean> {
  const { archived, completed, blocked, due_before, due_after, q, ...rest } = filters;
  const { assignee_user_id, label_id, workstream_id, priority, column_id, ...unknown } = rest;
  // What is declared and stands nowhere above does not compile: it would be taken and ignored.
  unknown satisfies Record<keyof typeof unknown, never>;
  const all: RawBuilder<unknown>[] = [sql`cards.archived_at ${archived ? sql`is not null` : sql`is null`}`];
  const any = (
    filter: string | string[] | undefined,
    has: (values: string[]) => RawBuilder<unknown>,
    none = sql`false`,
  ) => {
    const { values, orNone } = askedBy(filter);
    const ways = [...(values.length > 0 ? [has(values)] : []), ...(orNone ? [none] : [])];
    if (ways.length > 0) all.push(sql`(${sql.join(ways, sql` or `)})`);
  };
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

/** What is found by the indexes that may find few cards. Conditions that no index covers are checked by {@link isListed}. */
export function indexesFor({ workspaceId, boards, seenBy }: Scope, filters: CardFilters): RawBuilder<unknown>[] {
  const indexes: RawBuilder<unknown>[] = [];
  const { due_before, due_after, blocked, q = '' } = filters;
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
  const byBoards = seenBy !== undefined && boards !== undefined && boards.length <= fewBoards;
  // What is no id is a key of all workspaces: alone, it finds the cards of others.
  const isNarrow = boards || keys.some(([key]) => key?.isId);
  if (isNarrow && (byBoards || keys.length > 0 || title)) {
    const groups = [...(boards ? [boards.map(idKey)] : []), [stateKey(`archived:${filters.archived}`)], ...keys];
    const arrayOf = (some: Key[]) => sql`(select array[${sql.join(some.map(({ sql }) => sql))}])`;
    const all = groups.filter(({ length }) => length === 1).flat();
    const conditions = [
      sql`${filterKeys} @> ${arrayOf(all)}`,
      ...groups.filter(({ length }) => length > 1).map((some) => sql`${filterKeys} && ${arrayOf(some)}`),
      ...(title ? [title] : []),
    ];
    // The keys as a subquery, so that the planner expects few cards: otherwise it scans the whole table where it thinks
    // that many match, and it has no statistics on keys that seldom occur together. Conditions that the board's key
    // implies are left out, or the planner would prefer a worse index.
    indexes.push(sql`
      select * from cards
      where ${sql.join(conditions, sql` and `)}`);
  }
  if (due_before ?? due_after) {
    const [board, ...others] = boards ?? [];
    const onBoard = board && others.length === 0 ? sql`and board_id = ${board}` : sql``;
    indexes.push(sql`
      select * from cards where workspace_id = ${workspaceId} ${onBoard} and due_date is not null and ${dueWithin(filters)}
      order by due_date`);
  }
  return indexes;
}

/** As the index `cards_by_filter` has it. */
const filterKeys = sql`card_filter_keys(board_id, workstream_id, priority, completed_at is not null,
        archived_at is not null, label_ids, assignee_user_ids)`;

/**
 * Only this many characters of `q` are looked up in the index: more would hardly narrow the titles, and each one found
 * is compared with all of `q`.
 */
const lettersLookedUp = 24;
/** Three letters or digits on end, as `pg_trgm` wants them; without, it would be read as a whole. */
const hasTrigram = /[\p{L}\p{N}]{3}/u;

/** A key as `card_filter_keys` makes them of a card. */
interface Key {
  sql: RawBuilder<string>;
  isId: boolean;
}
const idKey = (id: string): Key => ({ sql: sql`${id}::uuid`, isId: true });
const stateKey = (state: string): Key => ({ sql: sql`md5(${state})::uuid`, isId: false });

/**
 * The keys of the filters, in groups of which a card has one each; those that every list has left out. That a card has
 * none of something is no key.
 */
function keysOf({ label_id, assignee_user_id, workstream_id, priority, completed }: CardFilters): Key[][] {
  const groups = [label_id, assignee_user_id, workstream_id, priority].map((filter, at) => {
    const { values, orNone } = askedBy(filter);
    if (orNone) return [];
    return values.map((value) => (at < 3 ? idKey(value) : stateKey(`priority:${value}`)));
  });
  const states = completed === undefined ? [] : [stateKey(`completed:${completed}`)];
  return [...groups, states].filter(({ length }) => length > 0);
}
