import type { Caller, Card, CardFilters, searchCards as contract } from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import type { DocumentHandler } from '@cardinal/service';
import { seenBoards } from '../boards/queries.ts';
import type { ServiceContext } from '../context.ts';
import type { Reader } from '../database.ts';
import type { CardDocuments } from './documents.ts';
import { filtersOf } from './filters.ts';
import { byCreation, byDueDate, type CardInTime } from './orders.ts';
import { type Reach, readListed, searchTurns } from './search.ts';

/** Of a caller who sees no more boards than this, cards are looked up by their boards too. */
const manyBoards = 200;

const keys = [sortKey.id, sortKey.moment.nullable()] as const;

/** Lists the cards of all boards that the caller sees, deleted boards left out (CONTRACT 5.7). */
export const listAllCards = (
  context: Pick<ServiceContext, 'db'>,
  documentsNow: () => CardDocuments,
  reach?: Reach,
): DocumentHandler<typeof contract> => {
  const inTurn = searchTurns(context, 'Too many lists of all cards wait');
  return async ({ workspace_id: workspaceId, user_id: userId, filters: asked, page: askedPage }) => {
    const { sort, board_id, ...others } = asked;
    const filters = filtersOf(others, userId);
    const scope = ['all-cards', workspaceId, sort, board_id ?? null, Object.entries(filters).sort()] as const;
    const page = openPage(scope, keys, askedPage);
    const documents = documentsNow();
    const read = inTurn();
    const caller = { workspace_id: workspaceId, user_id: userId };
    const boards = await read((tx) => boardsOf(tx, caller, board_id, filters.column_id));
    if (boards?.length === 0) return page.of([], undefined);
    const [id, due] = page.after ?? [];
    const begin = id === undefined ? undefined : { id, place_due: due ? new Date(due) : null };
    const order = (passed?: CardInTime) => {
      const after = passed ?? begin;
      if (sort === 'due') return byDueDate(workspaceId, after);
      return byCreation(workspaceId, sort === 'created' ? 'asc' : 'desc', after);
    };
    const listing = { workspaceId, boards, seenBy: userId, filters, limit: page.limit, order };
    return page.cut<CardInTime, Card>(await readListed(read, listing, reach), documents.of, sortKeysOf);
  };
};

const sortKeysOf = ({ id, place_due }: CardInTime): [id: string, due: string | null] => [
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
