import { type archiveBoard, type Caller, CardinalError } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import type { z } from 'zod';
import { findMember } from '../store/board-members.ts';
import { type BoardRow, lockBoard, saveBoard, toBoard } from '../store/boards.ts';
import type { Tables, Tx } from '../store/database.ts';
import { type Change, deleteVersioned, nextState, writeVersioned } from './versioned.ts';

type BoardWrite = z.output<typeof archiveBoard.request> & { is_admin?: boolean };

const board = (request: BoardWrite) => ({
  what: 'Board',
  lock: (tx: Tx) => lockBoard(tx, request, request.board_id),
  save: saveBoard,
  present: toBoard,
});

/** Changes a board (see `writeVersioned`). */
export const writeBoard = (
  db: Database<Tables>,
  request: BoardWrite,
  change: Change<BoardRow>,
  permit?: (tx: Tx, row: BoardRow) => Promise<void>,
) => writeVersioned(db, request, { ...board(request), change, permit });

/**
 * Checks that a caller manages a locked board (api-decisions, "Boards, columns…"): its creator, an owner, or an admin.
 * @throws CardinalError `insufficient_scope`
 */
export const permitManaging = async (
  tx: Tx,
  { workspace_id, user_id, is_admin }: Caller & { is_admin: boolean },
  { id, created_by }: BoardRow,
): Promise<void> => {
  if (is_admin || created_by === user_id) return;
  const member = await findMember(tx, workspace_id, id, user_id);
  if (member?.role === 'owner') return;
  throw new CardinalError(
    'insufficient_scope',
    'Only the creator of a board, its owners and kanban:admin change its visibility and its members',
  );
};

/** Takes a board out of every listing; its cards still answer by id and identifier. */
export const softDeleteBoard = (db: Database<Tables>, request: BoardWrite) =>
  deleteVersioned(db, request, {
    ...board(request),
    remove: (tx, row) => {
      const now = new Date();
      return saveBoard(tx, nextState(row, { deleted_at: now }, now));
    },
  });
