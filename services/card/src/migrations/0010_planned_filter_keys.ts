import { type Kysely, sql } from 'kysely';

/**
 * In PL/pgSQL: of an SQL function, every statement that writes cards parses and plans the body anew, since it has the
 * index's expressions to prepare (ADR 0029).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function card_filter_keys(
      board_id uuid, workstream_id uuid, priority text, completed boolean, archived boolean, label_ids uuid[],
      assignee_user_ids uuid[]
    ) returns uuid[] language plpgsql immutable parallel safe as ${sql.lit(`
    begin
      return array[board_id, workstream_id, md5('completed:' || completed)::uuid, md5('archived:' || archived)::uuid]
        || case when priority is not null then array[md5('priority:' || priority)::uuid] end
        || label_ids || assignee_user_ids;
    end`)}`.execute(db);
  // Connections that know the index with the former body in it would not find it for filters any more; this tells them.
  await sql`alter index if exists cards_by_filter set (gin_pending_list_limit = 128)`.execute(db);
}
