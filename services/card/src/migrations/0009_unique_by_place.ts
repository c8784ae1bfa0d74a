import { type Kysely, sql } from 'kysely';

const places = 'deferrable initially immediate';

/** The constraints, with their index from migration 0008. */
const constraints = [
  ['columns', 'columns_workspace_id_board_id_position_key', 'column_places', places],
  ['cards', 'cards_workspace_id_column_id_position_key', 'card_places', places],
  ['cards', 'cards_workspace_id_identifier_key', 'card_identifiers', ''],
  ['workstreams', 'workstreams_one_prefix', 'workstream_prefixes', ''],
] as const;

/**
 * Gives unique constraints their new indexes, which do not begin with the workspace (migration 0008). A transaction of
 * its own: readers wait for it, but not for the building of an index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`lock table columns, cards, workstreams in access exclusive mode`.execute(db);
  for (const [table, name, index, how] of constraints) {
    await sql.raw(`alter table ${table} drop constraint ${name}`).execute(db);
    await sql.raw(`alter table ${table} add constraint ${name} unique using index ${index} ${how}`).execute(db);
  }
}
