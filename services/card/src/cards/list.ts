import { type Caller, type CardFilters, type listCards as contract, notFound } from '@cardinal/contracts';
import { prepared, rowsFor } from '@cardinal/db';
import { coalesce, openPage, pageBytes } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import { visibleTo } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import { positionKeys, positionOf, type RowPosition } from '../positions/queries.ts';
import type { CardDocuments } from './documents.ts';
import { filtersOf } from './filters.ts';
import { byPlace, type CardInBoard, type PlaceInBoard } from './orders.ts';
import { cardReader } from './read.ts';
import { readListed, searchQueue } from './search.ts';

interface ListToOpen extends Caller {
  board_id: string;
  /** The limit of the page for a list without filters; 0 with filters. */
  most: number;
  /** The last card of the page before and its column, from the cursor; undefined on the first page. */
  column_id: string | undefined;
  column_position: number | undefined;
  column_version: number | undefined;
  card_id: string | undefined;
  card_position: number | undefined;
  card_version: number | undefined;
}

/** A list of a board that the caller sees. */
export interface OpenedList {
  ordinal: number;
  /** The current positions of the last card of the page before and of its column; null on the first page. */
  column_position: number | null;
  card_position: number | null;
  /** The states (`documents.ts`) of the page's cards in their order, with commas between them; null without cards. */
  states: string | null;
  /** The sort keys of the page's last card, first those of its column; null where the list ends with the page. */
  last: [...RowPosition, ...RowPosition] | null;
}

/**
 * Finds, for each list whose board the caller sees, where the page begins and the states of its cards. Cards are read
 * in full only where their states are not cached.
 *
 * A rebalancing changes positions but not versions (CONTRACT 3.3). So where the cursor's card still has the version in
 * the cursor, the page begins behind its current position. Where the card was written since, it may have moved, and the
 * page begins behind the position in the cursor: every card that stayed is listed once.
 *
 * $1 the lists (`rowsFor`)
 * @returns a row for each list whose board the caller sees
 */
export const openLists = prepared<OpenedList>(
  'open-lists',
  `select asked.ordinal, resumed.column_position, resumed.card_position, page.states,
  case when page.count > asked.most then page.last::json end as last
from json_to_recordset($1) as asked (
  ordinal integer, workspace_id uuid, user_id uuid, board_id uuid, most integer, column_id uuid, column_position float8,
  column_version bigint, card_id uuid, card_position float8, card_version bigint)
-- OFFSET 0 is an optimizer fence: each row is found by its key, not by a scan of the workspace.
cross join lateral (
  select from boards
  where boards.workspace_id = asked.workspace_id and boards.id = asked.board_id and boards.deleted_at is null
    and ${visibleTo('asked.user_id')}
  offset 0
) as board
-- Only on the listed board: a forged cursor must not reveal anything of a board that the caller does not see.
cross join lateral (
  select
    coalesce((select columns.position from columns
      where columns.workspace_id = asked.workspace_id and columns.board_id = asked.board_id and columns.id = asked.column_id
        and columns.version = asked.column_version), asked.column_position) as column_position,
    coalesce((select cards.position from cards
      where cards.workspace_id = asked.workspace_id and cards.board_id = asked.board_id and cards.id = asked.card_id
        and cards.column_id = asked.column_id and cards.version = asked.card_version), asked.card_position) as card_position
  offset 0
) as resumed
cross join lateral (
  select count(*),
    -- Every write of a row changes its xmin.
    string_agg(listed.id || ' ' || listed.xmin || ' ' || listed.workstream_version, ',') filter (where nth <= asked.most)
      as states,
    -- Aggregates one row only: the text is built once.
    string_agg(json_build_array(column_id, column_position, column_version, id, position, version)::text, '')
      filter (where nth = asked.most) as last
  from (
    select walked.*, workstreams.version as workstream_version
    from (
      select columns.id as column_id, columns.position as column_position, columns.version as column_version, inside.*,
        row_number() over (order by columns.position, inside.position) as nth
      -- In order from the start: a column is read only if those before it have not filled the page.
      from (
        select * from columns
        where columns.workspace_id = asked.workspace_id and columns.board_id = asked.board_id and asked.most > 0
          and (asked.column_id is null or columns.position > resumed.column_position or columns.id = asked.column_id)
        order by columns.position
        offset 0
      ) as columns
      cross join lateral (
        select cards.id, cards.xmin::text, cards.version, cards.position, cards.workstream_id
        from cards
        where cards.workspace_id = columns.workspace_id and cards.column_id = columns.id and cards.archived_at is null
          and cards.position > case when columns.id = asked.column_id then resumed.card_position else '-infinity' end
        order by cards.position
        limit asked.most + 1
      ) as inside
      order by columns.position, inside.position
      -- The longest page and one more, as a number that the planner knows before it joins.
      limit 101
    ) as walked
    join workstreams on workstreams.workspace_id = asked.workspace_id and workstreams.id = walked.workstream_id
    where nth <= asked.most + 1
    order by nth
  ) as listed
) as page`,
);

const keys = [...positionKeys, ...positionKeys] as const;

/** Statements that run at once, and lists per statement. Both are small, because each list reads a page. */
const concurrency = 2;
const maxBatch = 16;

/** This many cards fit into a page at any length: a card has at most 80,000 bytes. */
const fewCards = 12;

const isUnfiltered = ({ archived, ...others }: CardFilters) =>
  !archived && Object.values(others).every((filter) => filter === undefined);

/**
 * Finds the JSON of cards in the given states. Reads up to `fewCards` that are not cached by their ids.
 * @returns undefined where more cards are not cached, where a card has another state by then, or where they do not fit
 *   into a page
 */
const cardsIn = async (
  states: readonly string[],
  documents: CardDocuments,
  read: (id: string) => Promise<unknown>,
): Promise<Buffer[] | undefined> => {
  let cards = states.map(documents.find);
  const unknown = states.filter((_, at) => !cards[at]);
  if (unknown.length > fewCards) return undefined;
  if (unknown.length > 0) {
    await Promise.allSettled(unknown.map((state) => read(state.split(' ', 1)[0] as string)));
    cards = states.map(documents.find);
  }
  const known = cards.filter((card) => card !== undefined).map(({ bytes }) => bytes);
  const size = known.reduce((sum, { length }) => sum + length + 1, 0);
  return known.length === states.length && size <= pageBytes ? known : undefined;
};

/**
 * Makes the handler that lists the cards of a board by column, then by position (CONTRACT 5.7). Lists that arrive
 * together share the statement `openLists`. A list without filters needs no other statement while its cards are cached.
 * Where a few cards are not cached, they are read by their ids. Where many are not, or a write changed one meanwhile,
 * one statement reads the whole page.
 * @param documentsNow the cache of documents
 */
export const listCards = (
  { db }: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
): DocumentHandler<typeof contract> => {
  const opening = coalesce<ListToOpen, OpenedList>({
    name: 'card_lists',
    concurrency,
    maxBatch,
    run: async (lists) =>
      (await db.read((tx) => rowsFor(tx, openLists, lists))).map((list) => list ?? notFound('Board')),
  });
  const readCard = cardReader({ db }, documentsNow);
  const startSearch = searchQueue({ db }, 'Too many lists with filters wait');
  return async ({ workspace_id, user_id, board_id, filters: askedFilters, page: asked }) => {
    const filters = filtersOf(askedFilters, user_id);
    const page = openPage(['cards', workspace_id, board_id, Object.entries(filters).sort()], keys, asked);
    const documents = documentsNow();
    const open = (after: typeof page.after, most: number) => {
      const [column_id, column_position, column_version, card_id, card_position, card_version] = after ?? [];
      const place = { column_id, column_position, column_version, card_id, card_position, card_version };
      return opening.submit({ workspace_id, user_id, board_id, most, ...place });
    };
    const most = isUnfiltered(filters) ? page.limit : 0;
    const list = await open(page.after, most);
    if (most > 0) {
      const read = (card_id: string) => readCard({ workspace_id, user_id, card_id });
      const cards = await cardsIn(list.states?.split(',') ?? [], documents, read);
      if (cards) return page.of(cards, list.last ?? undefined);
    }
    const scope = { workspaceId: workspace_id, boardId: board_id, filters };
    const order = async (passed?: CardInBoard) => {
      // The search resumes as the next page would, so that a card that moves meanwhile makes the list skip no other
      // card.
      const after = passed ? sortKeysOf(passed) : page.after;
      return byPlace(scope, after && placeOf(after, passed ? await open(after, 0) : list));
    };
    const listing = { ...scope, boards: [board_id], limit: page.limit, order };
    const cards = await readListed(most > 0 ? db.read : startSearch(), listing);
    return page.cut(cards, documents.of, sortKeysOf);
  };
};

type SortKeys = [...RowPosition, ...RowPosition];

const sortKeysOf = (card: CardInBoard): SortKeys => [
  ...positionOf({ id: card.column_id, position: card.column_position, version: card.column_version }),
  ...positionOf(card),
];

/**
 * Makes the place behind which a page begins.
 * @param keys the sort keys of the card there
 * @param opened the list, opened behind that card
 */
const placeOf = ([column_id]: SortKeys, { column_position, card_position }: OpenedList): PlaceInBoard => ({
  column_id,
  column_position: column_position as number,
  position: card_position as number,
});
