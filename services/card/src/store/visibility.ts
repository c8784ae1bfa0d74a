import type { Caller } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import { cardsWithBoards } from './card-rows.ts';
import type { Reader } from './database.ts';

/**
 * Whether a user sees a row of `boards` and everything on it (api-decisions, "Boards, columns…"): the whole workspace
 * sees it, or it is private and the user made it or is a member. The one place where the rule stands.
 * @param userId a user, or the column of the query that holds one
 */
export const boardVisibleTo = (userId: string | RawBuilder<unknown>) => sql<boolean>`(
  boards.visibility = 'workspace'
  or boards.created_by = ${userId}::uuid
  or exists (
    select from board_members as member
    where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = ${userId}::uuid
  ))`;

/** Cards of the caller's workspace on boards that the caller sees, deleted boards too; joined with `boards`. */
export const visibleCards = (tx: Reader, { workspace_id, user_id }: Caller) =>
  cardsWithBoards(tx).where('cards.workspace_id', '=', workspace_id).where(boardVisibleTo(user_id));

/** Whether a card exists on a board that the caller sees. */
export const seesCard = async (tx: Reader, caller: Caller, cardId: string): Promise<boolean> =>
  (await visibleCards(tx, caller)
    .clearSelect()
    .select('cards.id')
    .where('cards.id', '=', cardId)
    .executeTakeFirst()) !== undefined;
