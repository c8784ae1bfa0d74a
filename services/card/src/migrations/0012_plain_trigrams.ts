import { type Kysely, sql } from 'kysely';

/**
 * Titles in the index as `pg_trgm` itself reads them: a function over them would be evaluated anew for every card that the
 * index gives. The release before goes on with `ascii_letters`, which no index knows any more, and finds the same.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm'`.execute(db);
  if (!rows[0]) return;
  await sql`drop index if exists cards_by_filter`.execute(db);
  await sql`
    create index cards_by_filter on cards using gin (
      card_filter_keys(board_id, workstream_id, priority, completed_at is not null, archived_at is not null, label_ids,
        assignee_user_ids),
      title_folded ${sql.id(rows[0].schema, 'gin_trgm_ops')}
    ) with (gin_pending_list_limit = 128)`.execute(db);
}
