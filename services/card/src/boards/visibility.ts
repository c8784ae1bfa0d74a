import { sql } from 'kysely';

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

/** The rule in a query. @param userId a user */
export const boardVisibleTo = (userId: string) => {
  const parts = rule.split(':user').map((part) => sql.raw(part));
  return sql<boolean>`${sql.join(parts, sql`${userId}::uuid`)}`;
};
