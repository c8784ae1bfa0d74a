import type { archiveBoard } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import type { z } from 'zod';
import { type BoardRow, lockBoard, saveBoard, toBoard } from '../store/boards.ts';
import type { Tables, Tx } from '../store/database.ts';
import { type Change, deleteVersioned, nextState, writeVersioned } from './versioned.ts';

type BoardWrite = z.output<typeof archiveBoard.request>;

const board = (request: BoardWrite) => ({
  what: 'Board',
  lock: (tx: Tx) => lockBoard(tx, request, request.board_id),
  save: saveBoard,
  present: toBoard,
});

/** Changes a board (see `writeVersioned`). */
export const writeBoard = (db: Database<Tables>, request: BoardWrite, change: Change<BoardRow>) =>
  writeVersioned(db, request, { ...board(request), change });

/** Takes a board out of every listing; its cards still answer by id and identifier. */
export const softDeleteBoard = (db: Database<Tables>, request: BoardWrite) =>
  deleteVersioned(db, request, {
    ...board(request),
    remove: (tx, row) => {
      const now = new Date();
      return saveBoard(tx, nextState(row, { deleted_at: now }, now));
    },
  });
