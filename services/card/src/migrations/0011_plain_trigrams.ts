import { type Kysely, sql } from 'kysely';

/**
 * Titles in the index as `pg_trgm` itself reads them: a function over them would be evaluated anew for every card that the
 * index gives. While it is made, writers of cards wait; readers do not. The former one goes in a migration of its own, as
 * whoever drops an index locks readers out to the end of the transaction.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm'`.execute(db);
  if (!rows[0]) return;
  await sql`
    create index cards_by_plain_filter on cards using gin (
      card_filter_keys(board_id, workstream_id, priority, completed_at is not null, archived_at is not null, label_ids,
        assignee_user_ids),
      title_folded ${sql.id(rows[0].schema, 'gin_trgm_ops')}
    ) with (gin_pending_list_limit = 128)`.execute(db);
}
