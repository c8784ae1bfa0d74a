import type * as contracts from '@cardinal/contracts';
import { notFound, type RequestContract } from '@cardinal/contracts';
import { NIL } from 'uuid';
import type { Handler, Parts } from '../parts.ts';
import { findBoard, toBoard } from '../store/boards.ts';
import { findColumn, toColumn } from '../store/columns.ts';
import { findComment, toComment } from '../store/comments.ts';
import { findLabel, toLabel } from '../store/labels.ts';
import { linkBoardsSeen } from '../store/linked-files.ts';
import { findSubtask, toSubtask } from '../store/subtasks.ts';
import { seesCard } from '../store/visibility.ts';

/*
 * Reads of one thing by its id (api-decisions, "Boards, columns…"). What is hidden takes the queries that the unknown
 * takes: after a row that is not there, its card or board is asked for all the same.
 */

type Read<Contract extends RequestContract> = (parts: Pick<Parts, 'db'>) => Handler<Contract>;

/** Reads a board. @throws CardinalError `not_found` */
export const getBoard: Read<typeof contracts.getBoard> =
  ({ db }) =>
  async ({ board_id, ...caller }) => {
    const board = await db.read((tx) => findBoard(tx, caller, board_id));
    if (!board) throw notFound('Board');
    return toBoard(board);
  };

/** Reads a column, an archived one too. @throws CardinalError `not_found`, also where its board is deleted */
export const getColumn: Read<typeof contracts.getColumn> =
  ({ db }) =>
  ({ column_id, ...caller }) =>
    db.read(async (tx) => {
      const column = await findColumn(tx, caller.workspace_id, column_id);
      const board = await findBoard(tx, caller, column?.board_id ?? NIL);
      if (!column || !board) throw notFound('Column');
      return toColumn(column);
    });

/** Reads a label. @throws CardinalError `not_found` */
export const getLabel: Read<typeof contracts.getLabel> =
  ({ db }) =>
  async ({ label_id, workspace_id }) => {
    const label = await db.read((tx) => findLabel(tx, workspace_id, label_id));
    if (!label) throw notFound('Label');
    return toLabel(label);
  };

/** Reads a comment, also on a card of a deleted board. @throws CardinalError `not_found` */
export const getComment: Read<typeof contracts.getComment> =
  ({ db }) =>
  ({ comment_id, ...caller }) =>
    db.read(async (tx) => {
      const comment = await findComment(tx, caller.workspace_id, comment_id);
      const isSeen = await seesCard(tx, caller, comment?.card_id ?? NIL);
      if (!comment || !isSeen) throw notFound('Comment');
      return toComment(comment);
    });

/** Reads a subtask, also on a card of a deleted board. @throws CardinalError `not_found` */
export const getSubtask: Read<typeof contracts.getSubtask> =
  ({ db }) =>
  ({ subtask_id, ...caller }) =>
    db.read(async (tx) => {
      const subtask = await findSubtask(tx, caller.workspace_id, subtask_id);
      const isSeen = await seesCard(tx, caller, subtask?.card_id ?? NIL);
      if (!subtask || !isSeen) throw notFound('Subtask');
      return toSubtask(subtask, await linkBoardsSeen(tx, caller, [subtask]));
    });
