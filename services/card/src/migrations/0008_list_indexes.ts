import { type Kysely, sql } from 'kysely';

const deferrable = 'deferrable initially immediate';

/** Unique constraints that began with the workspace, in the order of all locks. */
const uniques = [
  {
    table: 'columns',
    name: 'columns_workspace_id_board_id_position_key',
    columns: 'board_id, workspace_id, position',
    how: deferrable,
  },
  {
    table: 'cards',
    name: 'cards_workspace_id_column_id_position_key',
    columns: 'column_id, workspace_id, position',
    how: deferrable,
  },
  { table: 'cards', name: 'cards_workspace_id_identifier_key', columns: 'identifier, workspace_id' },
  { table: 'workstreams', name: 'workstreams_one_prefix', columns: 'prefix, workspace_id' },
];

/**
 * Indexes boards and labels by name (`GET /boards?name=`, `GET /labels?name=`), and cards by their last change
 * (`GET /cards?updated_after=`, `sort=updated`). A board has few columns. Writers wait while Postgres builds them.
 *
 * Only the primary key may serve to find a row by its id. A plan is made for a workspace of average size, or while there
 * are no rows yet. Then every index that begins with the workspace costs the same, but reads the entries of all rows of
 * the workspace. So the other indexes of boards, columns, cards and workstreams begin with another column, or are
 * partial: `cards_by_update` has a condition that holds for every card, and only queries by the last change name it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index boards_by_name on boards (fold_case(name), workspace_id)`.execute(db);
  await sql`create index labels_by_name on labels (fold_case(name), workspace_id)`.execute(db);
  await sql`create index cards_by_update on cards (workspace_id, updated_at, id) where updated_at > '-infinity'`.execute(
    db,
  );
  // Built beside the former ones, so that readers do not wait.
  for (const { table, name, columns, how = '' } of uniques) {
    await sql.raw(`create unique index next_unique on ${table} (${columns})`).execute(db);
    await sql.raw(`alter table ${table} drop constraint ${name}`).execute(db);
    await sql.raw(`alter table ${table} add constraint ${name} unique using index next_unique ${how}`).execute(db);
  }
}
