import { type Kysely, sql } from 'kysely';

/**
 * Indexes boards and labels by name (`GET /boards?name=`, `GET /labels?name=`), and cards by their last change
 * (`GET /cards?updated_after=`, `sort=updated`). A board has few columns. Writers wait while Postgres builds them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index boards_by_name on boards (workspace_id, fold_case(name))`.execute(db);
  await sql`create index labels_by_name on labels (workspace_id, fold_case(name))`.execute(db);
  await sql`create index cards_by_update on cards (workspace_id, updated_at, id)`.execute(db);
}
