import { z } from 'zod';
import {
  asAdmin,
  caller,
  commandBy,
  defineRequest,
  ifMatch,
  outcomeOf,
  pageReply,
  pageRequest,
} from '../bus/request.ts';
import { uuid } from '../scalars.ts';
import { board, createBoardBody, patchBoardBody } from './resource.ts';

const versioned = commandBy.extend({ board_id: uuid, if_match: ifMatch });

export const createBoard = defineRequest(
  'card.create-board',
  commandBy.extend({ body: createBoardBody }),
  outcomeOf(board),
  ['not_found', 'conflict'],
);
export const getBoard = defineRequest(
  'card.get-board',
  caller.extend({ board_id: uuid }),
  board,
  [],
  ['gateway', 'attachment'],
);
/**
 * Those of the boards named that exist and that the caller may see, in any order. Asked by services that hold ids of
 * boards and show what stands on them.
 */
export const filterBoards = defineRequest(
  'card.filter-boards',
  caller.extend({ board_ids: z.array(uuid).max(10_000) }),
  z.object({ board_ids: z.array(uuid) }),
  [],
  ['attachment'],
);
export const listBoards = defineRequest(
  'card.list-boards',
  caller.extend({ archived: z.boolean(), page: pageRequest }),
  pageReply(board),
);
/** Who sees the board edits it; its visibility is changed by who manages it (`putBoardMember`). */
export const patchBoard = defineRequest(
  'card.patch-board',
  versioned.extend({ ...asAdmin, body: patchBoardBody }),
  outcomeOf(board),
  ['insufficient_scope', 'not_found', 'conflict'],
);
export const archiveBoard = defineRequest('card.archive-board', versioned, outcomeOf(board));
export const restoreBoard = defineRequest('card.restore-board', versioned, outcomeOf(board));
export const deleteBoard = defineRequest('card.delete-board', versioned, z.object({ deleted: z.literal(true) }));
