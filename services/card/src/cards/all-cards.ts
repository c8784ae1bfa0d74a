import type { Caller, Card, CardFilters, searchCards as contract } from '@cardinal/contracts';
import { createFairSemaphore, openPage, sortKey } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import { type RawBuilder, sql } from 'kysely';
import { boardVisibleTo, seenBoards } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import type { Reader } from '../database.ts';
import type { CardDocuments, StatedCard } from './documents.ts';
import { filtersOf, indexesFor, matches } from './filters.ts';
import { beginSearch, continueSearch, type Found, type Reach, type Read, type Search } from './search.ts';

type Sort = '-created' | 'created' | 'due';

/** Right after this card a page begins. */
interface Place {
  id: string;
  dueDate: Date | null;
}

/** Cards of a workspace that one of its users asks for. */
interface Listing {
  workspaceId: string;
  userId: string;
  filters: CardFilters;
  /** Undefined where there are too many to look for them one by one. */
  boards: readonly string[] | undefined;
  sort: Sort;
  after: Place | undefined;
  limit: number;
}

/**
 * Of a caller who sees no more boards than this, cards are looked up by their boards too: together with what else they are
 * filtered by, and where the boards are few, by these alone.
 */
const manyBoards = 200;
const fewBoards = 20;

/** As lists of a board: one statement of each workspace at a time, its users in turn (ADR 0048). */
const searching = { atOnce: 3, perWorkspace: 1, busy: 'Too many lists of all cards wait' };

/** Lists the cards of all boards that the caller sees, deleted boards left out (CONTRACT 5.7). */
export const listAllCards = (
  { db }: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
  reach?: Reach,
): DocumentHandler<typeof contract> => {
  const turns = createFairSemaphore(searching);
  return async ({ workspace_id, user_id, filters: asked, page: askedPage }) => {
    const { sort, board_id, ...others } = asked;
    const filters = filtersOf(others, user_id);
    const scope = ['all-cards', workspace_id, sort, board_id ?? null, Object.entries(filters).sort()] as const;
    const page = openPage(scope, [sortKey.id, sortKey.moment.nullable()], askedPage);
    const documents = documentsNow();
    let begun = false;
    const read: Read = (query) => {
      // A search that has begun is finished before another one of this user begins.
      const how = { first: begun };
      begun = true;
      return turns.run(() => db.read(query), how);
    };
    const boards = await read((tx) => boardsOf(tx, { workspace_id, user_id }, board_id, filters.column_id));
    if (boards?.length === 0) return page.of([], undefined);
    const [id, due] = page.after ?? [];
    let after: Place | undefined = id === undefined ? undefined : { id, dueDate: due ? new Date(due) : null };
    const found: PlacedCard[] = [];
    for (let part = beginSearch; ; part = continueSearch) {
      const limit = page.limit - found.length;
      const listing = { workspaceId: workspace_id, userId: user_id, filters, boards, sort, after, limit };
      const { cards, end } = await part<PlacedCard>(read, searchOf(listing), reach);
      found.push(...cards);
      if (!end) return page.cut<PlacedCard, Card>(found, documents.of, sortKeysOf);
      after = { id: end.id, dueDate: end.place_due };
    }
  };
};

/** A card with the date by which it is placed; of a walk that is through with the dates it is null. */
type PlacedCard = StatedCard & { place_due: Date | null };

const sortKeysOf = ({ id, place_due }: PlacedCard): [id: string, due: string | null] => [
  id,
  place_due?.toISOString() ?? null,
];

/**
 * The boards that a caller sees, of those asked for, and on which one of the columns asked for is.
 * @returns undefined where no board is named and the caller sees too many
 */
const boardsOf = async (
  tx: Reader,
  caller: Caller,
  asked: CardFilters['column_id'],
  columnId: CardFilters['column_id'],
): Promise<string[] | undefined> => {
  let boards = seenBoards(tx, caller).clearSelect().select('id');
  if (asked !== undefined) boards = boards.where('id', 'in', [asked].flat());
  if (columnId !== undefined) {
    const named = tx.selectFrom('columns').select('board_id').where('workspace_id', '=', caller.workspace_id);
    boards = boards.where('id', 'in', named.where('id', 'in', [columnId].flat()));
  }
  const isAny = asked === undefined && columnId === undefined;
  const seen = await boards.$if(isAny, (all) => all.limit(manyBoards + 1)).execute();
  return isAny && seen.length > manyBoards ? undefined : seen.map((board) => board.id);
};

const searchOf = (listing: Listing): Search => {
  const { workspaceId, filters, boards, limit } = listing;
  return {
    ...{ workspaceId, limit, also: ['place_due'] },
    walk: (rows) => walk(listing, rows),
    lookUps: indexesFor({ workspaceId, boards }, filters, {
      byBoards: boards !== undefined && boards.length <= fewBoards,
    }).map((indexed) => (rows) => lookUp(listing, indexed, rows)),
  };
};

/** Whether a card is listed, wherever in the order it is. */
const isListed = ({ workspaceId, userId, filters, boards }: Listing) => sql`(
      ${matches(filters)}
      ${boards ? sql`and cards.board_id = any (${[...boards]}::uuid[])` : sql``}
      and exists (
        select from boards
        where boards.workspace_id = ${workspaceId} and boards.id = cards.board_id and boards.deleted_at is null
          and ${boardVisibleTo(userId)}
      )
      ${filters.column_id === undefined ? sql`` : sql`and cards.column_id = any (${[filters.column_id].flat()}::uuid[])`})`;

/** Ids are in the order of creation (`newRow`). */
const orders = {
  '-created': sql`id desc`,
  created: sql`id`,
  due: sql`due_date nulls last, id`,
} as const satisfies Record<Sort, RawBuilder<unknown>>;

const isBeyond = ({ sort, after }: Listing) => {
  if (!after) return sql`true`;
  if (sort === '-created') return sql`cards.id < ${after.id}::uuid`;
  if (sort === 'created') return sql`cards.id > ${after.id}::uuid`;
  const { id, dueDate } = after;
  return dueDate
    ? sql`(cards.due_date is null or (cards.due_date, cards.id) > (${dueDate}::timestamptz, ${id}::uuid))`
    : sql`(cards.due_date is null and cards.id > ${id}::uuid)`;
};

/** The first `rows` cards of the workspace from where the page begins. */
const walk = (listing: Listing, rows: number): RawBuilder<Found> => {
  const { sort, limit } = listing;
  return sql<Found>`(
  select * from (
    select id, due_date as place_due, matches, row_number() over (order by ${orders[sort]}) as nth,
      row_number() over (order by ${orders[sort]}) = ${rows} as unfinished
    from ${sort === 'due' ? byDueDate(listing, rows) : byId(listing, rows)} as walked
  ) as walked
  where matches or unfinished
  order by nth
  limit ${limit + 1}
)`;
};

const byId = (listing: Listing, rows: number) => sql`(
      select cards.id, null::timestamptz as due_date, ${isListed(listing)} as matches
      from cards
      where cards.workspace_id = ${listing.workspaceId} and ${isBeyond(listing)}
      order by ${orders[listing.sort]}
      limit ${rows}
    )`;

/** Those without a date come last, by their ids; the cards among them that have one are passed over. */
const byDueDate = (listing: Listing, rows: number) => {
  const { workspaceId, after } = listing;
  const dated =
    after && !after.dueDate
      ? sql`select cards.id, cards.due_date, false as matches from cards where false`
      : sql`select cards.id, cards.due_date, ${isListed(listing)} as matches
        from cards
        where cards.workspace_id = ${workspaceId} and cards.due_date is not null
          ${after ? sql`and (cards.due_date, cards.id) > (${after.dueDate}::timestamptz, ${after.id}::uuid)` : sql``}
        order by cards.due_date, cards.id
        limit ${rows}`;
  return sql`(
      with dated as materialized (${dated})
      select * from dated
      union all (
        select cards.id, null, cards.due_date is null and ${isListed(listing)}
        from cards
        where cards.workspace_id = ${workspaceId}
          ${after && !after.dueDate ? sql`and cards.id > ${after.id}::uuid` : sql``}
        order by cards.id
        limit ${rows} - (select count(*) from dated)
      )
    )`;
};

/** Every card that an index finds, unless there are more than `rows`. */
const lookUp = (listing: Listing, indexed: RawBuilder<unknown>, rows: number) => sql<Found>`(
    with candidates as materialized (
      select id, due_date, ${isListed(listing)} and cards.workspace_id = ${listing.workspaceId} and ${isBeyond(listing)} as matches,
        row_number() over () > ${rows} as unfinished
      from (${indexed} limit ${rows + 1}) as cards
    )
    select id, due_date as place_due, not unfinished as matches, unfinished, row_number() over (order by ${orders[listing.sort]}) as nth
    from candidates
    where unfinished or (matches and (select count(*) from candidates) <= ${rows})
    order by nth
    limit ${listing.limit + 1}
  )`;
