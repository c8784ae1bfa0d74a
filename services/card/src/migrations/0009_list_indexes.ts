import { type Kysely, sql } from 'kysely';

/** What lists of cards are filtered by (ADR 0017, `cards/list-queries.ts`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Inlined by the planner, in the index as in the query. What is no id is hashed with its name, so that it looks like one.
  await sql`
    create function card_filter_keys(
      board_id uuid, workstream_id uuid, priority text, completed boolean, archived boolean, label_ids uuid[],
      assignee_user_ids uuid[]
    ) returns uuid[] language sql immutable parallel safe as ${sql.lit(`
      select array[board_id, workstream_id, md5('completed:' || completed)::uuid, md5('archived:' || archived)::uuid]
        || case when priority is not null then array[md5('priority:' || priority)::uuid] end
        || label_ids || assignee_user_ids`)}`.execute(db);

  // Characters beyond ASCII each as some letter: to pg_trgm they are none in a database of locale C. Several are the same
  // letter then, so that what is found must be compared itself.
  await sql`
    create function ascii_letters(value text) returns text language plpgsql immutable strict parallel safe as ${sql.lit(`
    begin
      if octet_length(value) = char_length(value) then
        return value;
      end if;
      return (
        select string_agg(case when ascii(spelling) < 128 then spelling else chr(97 + ascii(spelling) % 26) end, '' order by place)
        from string_to_table(value, null) with ordinality as one (spelling, place)
      );
    end`)}`.execute(db);

  // One index for every filter that knows a value, since GIN goes through the values of one index by leaps: several
  // filters cost what the rarest costs. What waits to be sorted in is kept short, for every search reads it through.
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm'`.execute(db);
  const trigrams = rows[0] && sql`, ascii_letters(title_folded) ${sql.id(rows[0].schema, 'gin_trgm_ops')}`;
  await sql`
    create index cards_by_filter on cards using gin (
      card_filter_keys(board_id, workstream_id, priority, completed_at is not null, archived_at is not null, label_ids,
        assignee_user_ids)
      ${trigrams ?? sql``}
    ) with (gin_pending_list_limit = 128)`.execute(db);
  await sql`
    create index cards_by_due_date on cards (workspace_id, board_id, due_date) where due_date is not null`.execute(db);
  await sql`
    create index active_cards_in_order on cards (workspace_id, column_id, position) where archived_at is null`.execute(
    db,
  );
  await sql`
    create index archived_cards_in_order on cards (workspace_id, column_id, position) where archived_at is not null`.execute(
    db,
  );
  await sql`
    create index completed_cards_in_order on cards (workspace_id, column_id, position)
    where completed_at is not null and archived_at is null`.execute(db);
  // A board is of one workspace. Else the planner expects one column a board, and sorts all of them before the first card.
  await sql`create statistics columns_of_board (dependencies) on workspace_id, board_id from columns`.execute(db);
}
