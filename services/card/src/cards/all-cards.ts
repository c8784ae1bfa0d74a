import {
  type Caller,
  type Card,
  type CardFilters,
  type searchCards as contract,
  isIdentifier,
} from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import { seenBoards } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import type { Reader } from '../database.ts';
import type { CardDocuments } from './documents.ts';
import { filtersOf } from './filters.ts';
import { byCreation, byDueDate, byUpdate, type CardInTime } from './orders.ts';
import { type Reach, readListed, searchQueue } from './search.ts';

/** For a caller that sees at most this many boards, the search also looks cards up by their boards. */
const maxBoards = 200;

const keys = [sortKey.id, sortKey.moment.nullable()] as const;

/**
 * Makes the handler that lists the cards of all boards that the caller sees, except deleted boards (CONTRACT 5.7).
 * @param documentsNow the cache of documents
 * @param reach how many cards a statement examines; tests set it
 */
export const listAllCards = (
  context: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
  reach?: Reach,
): DocumentHandler<typeof contract> => {
  const startSearch = searchQueue(context, 'Too many lists of all cards wait');
  return async ({ workspace_id: workspaceId, user_id: userId, filters: asked, page: askedPage }) => {
    const { sort, board_id, card, ...others } = asked;
    const filters = filtersOf(others, userId);
    const narrowed = Object.entries({ ...filters, card }).filter(([, value]) => value !== undefined);
    const scope = ['all-cards', workspaceId, sort, board_id ?? null, narrowed.sort()] as const;
    const page = openPage(scope, keys, askedPage);
    const documents = documentsNow();
    const read = startSearch();
    const caller = { workspace_id: workspaceId, user_id: userId };
    const boards = await read((tx) => boardsOf(tx, caller, board_id, filters.column_id));
    if (boards?.length === 0) return page.of([], undefined);
    const [id, time] = page.after ?? [];
    const begin = id === undefined ? undefined : { id, place_time: time ? new Date(time) : null };
    const order = (passed?: CardInTime) => {
      const after = passed ?? begin;
      if (sort === 'due') return byDueDate(workspaceId, after);
      const direction = sort.startsWith('-') ? 'desc' : 'asc';
      return (sort.endsWith('updated') ? byUpdate : byCreation)(workspaceId, direction, after);
    };
    const listing = {
      workspaceId,
      boards,
      seenBy: userId,
      filters: { ...filters, ...(card && { ids: idsIn(card) }) },
      limit: page.limit,
      order,
    };
    return page.cut<CardInTime, Card>(await readListed(read, listing, reach), documents.of, sortKeysOf);
  };
};

/** The ids of a filter; the gateway replaces identifiers by ids before. */
const idsIn = (card: string | string[]) => [card].flat().filter((one) => !isIdentifier(one));

const sortKeysOf = ({ id, place_time }: CardInTime): [id: string, time: string | null] => [
  id,
  place_time?.toISOString() ?? null,
];

/**
 * Finds the boards of a search: those that the caller sees, that `asked` names, and that have a column of `columnId`.
 * @returns their ids; undefined where the request names no board or column and the caller sees more than `maxBoards`
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
  const seen = await boards.$if(isAny, (all) => all.limit(maxBoards + 1)).execute();
  return isAny && seen.length > maxBoards ? undefined : seen.map((board) => board.id);
};
