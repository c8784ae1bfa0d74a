import type { Caller } from '@cardinal/contracts';
import { type RawBuilder, sql } from 'kysely';
import { cardsWithBoards } from './card-rows.ts';
import type { Reader } from './database.ts';

/**
 * Whether a user sees a row of `boards` and everything on it (api-decisions, "Boards, columns…"): the whole workspace
 * sees it, or it is private and the user made it or is a member. The one place where the rule stands.
 */
const rule = `(
    boards.visibility = 'workspace'
    or boards.created_by = :user
    or exists (
      select from board_members as member
      where member.workspace_id = boards.workspace_id and member.board_id = boards.id and member.user_id = :user
    ))`;

/** The rule in a statement's text. @param user the column that holds the user */
export const visibleTo = (user: string): string => rule.replaceAll(':user', user);

/** The rule in a query. @param userId a user, or the column of the query that holds one */
export const boardVisibleTo = (userId: string | RawBuilder<unknown>) => {
  const parts = rule.split(':user').map((part) => sql.raw(part));
  return sql<boolean>`${sql.join(parts, sql`${userId}::uuid`)}`;
};

/** Whether a card exists on a board that the caller sees, a deleted board too. */
export const seesCard = async (tx: Reader, { workspace_id, user_id }: Caller, cardId: string): Promise<boolean> => {
  const found = await cardsWithBoards(tx)
    .clearSelect()
    .select('cards.id')
    .where('cards.workspace_id', '=', workspace_id)
    .where('cards.id', '=', cardId)
    .where(boardVisibleTo(user_id))
    .executeTakeFirst();
  return found !== undefined;
};
