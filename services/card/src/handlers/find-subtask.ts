import { type findSubtask as contract, notFound } from '@cardinal/contracts';
import { NIL } from 'uuid';
import type { Handler, Parts } from '../parts.ts';
import { cardsWithBoards } from '../store/card-rows.ts';
import { findSubtask as find } from '../store/subtasks.ts';
import { boardVisibleTo } from '../store/visibility.ts';

/** Tells the attachment service which card a subtask is on. @throws CardinalError `not_found` */
export const findSubtask =
  ({ db }: Pick<Parts, 'db'>): Handler<typeof contract> =>
  ({ subtask_id, ...caller }) =>
    db.read(async (tx) => {
      const subtask = await find(tx, caller.workspace_id, subtask_id);
      const card = await cardsWithBoards(tx)
        .clearSelect()
        .select('boards.deleted_at')
        .where('cards.workspace_id', '=', caller.workspace_id)
        .where('cards.id', '=', subtask?.card_id ?? NIL)
        .where(boardVisibleTo(caller.user_id))
        .executeTakeFirst();
      if (!subtask || !card) throw notFound('Subtask');
      return { subtask_id, card_id: subtask.card_id, board_deleted: card.deleted_at !== null };
    });
