import { type Kysely, sql } from 'kysely';

/**
 * Indexes boards and labels by name (`GET /boards?name=`, `GET /labels?name=`), and cards by their last change
 * (`GET /cards?updated_after=`, `sort=updated`). A board has few columns. Writers wait while Postgres builds them;
 * tables are locked in their order.
 *
 * Only the primary key may serve to find a row by its id. A plan is made for a workspace of average size, or while there
 * are no rows yet. Then every index that begins with the workspace costs the same, but reads the entries of all rows of
 * the workspace. So the other indexes of boards, columns, cards and workstreams begin with another column, or are
 * partial: `cards_by_update` has a condition that holds for every card, and only queries by the last change name it.
 * Migration 0009 puts the unique ones in place of the former ones.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index boards_by_name on boards (fold_case(name), workspace_id)`.execute(db);
  await sql`create unique index column_places on columns (board_id, workspace_id, position)`.execute(db);
  await sql`create index labels_by_name on labels (fold_case(name), workspace_id)`.execute(db);
  await sql`create unique index card_places on cards (column_id, workspace_id, position)`.execute(db);
  await sql`create unique index card_identifiers on cards (identifier, workspace_id)`.execute(db);
  await sql`create index cards_by_update on cards (workspace_id, updated_at, id) where updated_at > '-infinity'`.execute(
    db,
  );
  await sql`create unique index workstream_prefixes on workstreams (prefix, workspace_id)`.execute(db);
}
