import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { archiveBoard } from '../handlers/archive-board.ts';
import { archiveColumn } from '../handlers/archive-column.ts';
import { deleteBoardMember, listBoardMembers, putBoardMember } from '../handlers/board-members.ts';
import { createBoard } from '../handlers/create-board.ts';
import { createColumn } from '../handlers/create-column.ts';
import { deleteBoard } from '../handlers/delete-board.ts';
import { getBoard, getColumn } from '../handlers/get-one.ts';
import { listBoards } from '../handlers/list-boards.ts';
import { listColumns } from '../handlers/list-columns.ts';
import { patchBoard } from '../handlers/patch-board.ts';
import { patchColumn } from '../handlers/patch-column.ts';
import { restoreBoard } from '../handlers/restore-board.ts';
import { restoreColumn } from '../handlers/restore-column.ts';
import type { Parts } from '../parts.ts';

/** Boards with their members and columns. */
export const serveBoards = (bus: Pick<Bus, 'serve'>, parts: Parts): void => {
  bus.serve(contracts.createBoard, createBoard(parts));
  bus.serve(contracts.getBoard, getBoard(parts));
  bus.serve(contracts.listBoards, listBoards(parts));
  bus.serve(contracts.patchBoard, patchBoard(parts));
  bus.serve(contracts.archiveBoard, archiveBoard(parts));
  bus.serve(contracts.restoreBoard, restoreBoard(parts));
  bus.serve(contracts.deleteBoard, deleteBoard(parts));

  bus.serve(contracts.putBoardMember, putBoardMember(parts));
  bus.serve(contracts.deleteBoardMember, deleteBoardMember(parts));
  bus.serve(contracts.listBoardMembers, listBoardMembers(parts));

  bus.serve(contracts.createColumn, createColumn(parts));
  bus.serve(contracts.getColumn, getColumn(parts));
  bus.serve(contracts.listColumns, listColumns(parts));
  bus.serve(contracts.patchColumn, patchColumn(parts));
  bus.serve(contracts.archiveColumn, archiveColumn(parts));
  bus.serve(contracts.restoreColumn, restoreColumn(parts));
};
