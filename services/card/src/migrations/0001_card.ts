import { createCommandLog, createDeadLetters, createLineageTable, createOutbox } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';
import folding from './case-folding.json' with { type: 'json' };

/** Creates boards, columns, cards and their parts, the counters of workstreams, and the projections that reads join. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCommandLog(db);
  await createOutbox(db);
  await createDeadLetters(db);
  await createLineageTable(db);
  await createBoards(db);
  await createNumbers(db);
  await createCards(db);
  await createListIndexes(db);
  await createCardParts(db);
}

async function createBoards(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table boards (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      name text not null,
      visibility text not null check (visibility in ('workspace', 'private')),
      default_workstream_id uuid,
      archived_at timestamptz(3),
      deleted_at timestamptz(3),
      created_by uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (workspace_id, id)
    )`.execute(db);

  // The members of a private board. Its creator needs no row. Owners also manage the board.
  await sql`
    create table board_members (
      workspace_id uuid not null,
      board_id uuid not null,
      user_id uuid not null,
      created_at timestamptz(3) not null,
      role text not null check (role in ('member', 'owner')),
      primary key (workspace_id, board_id, user_id),
      foreign key (workspace_id, board_id) references boards
    )`.execute(db);

  // No index holds tops, so Postgres updates them in place (HOT) where the page has room: hence half-empty pages.
  await sql`
    create table columns (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      board_id uuid not null,
      name text not null,
      position double precision not null,
      archived_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      -- the position of the topmost card; the next one on top gets one less
      top double precision not null default 1,
      primary key (workspace_id, id),
      foreign key (workspace_id, board_id) references boards,
      unique (workspace_id, board_id, position) deferrable initially immediate
    ) with (fillfactor = 50)`.execute(db);
  // Each board belongs to one workspace. Without this statistic, the planner expects one column per board and sorts all
  // columns before it reads the first card.
  await sql`create statistics columns_of_board (dependencies) on workspace_id, board_id from columns`.execute(db);
}

async function createNumbers(db: Kysely<unknown>): Promise<void> {
  // A projection of the identifier service's workstreams, with the counter of each: a number and its card are written
  // together (ADR 0020). Half-empty pages let Postgres update counters in place (HOT).
  await sql`
    create table workstreams (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      name text not null,
      prefix text not null,
      last_number bigint not null default 0,
      granted_through bigint not null default 0,
      closed boolean not null default false,
      -- the epoch in which the range was granted (ADR 0042)
      epoch integer not null default 1,
      primary key (workspace_id, id),
      constraint workstreams_one_prefix unique (workspace_id, prefix)
    ) with (fillfactor = 50)`.execute(db);

  // Identifiers on their way to the ledger. Recorded ones stay for a while, because they fill a ledger that was
  // restored from a backup. They have no foreign keys, because they outlive their cards.
  await sql`
    create table issued (
      workspace_id uuid not null,
      identifier text not null,
      workstream_id uuid not null,
      card_id uuid not null,
      card_version integer not null,
      assigned_at timestamptz(3) not null,
      assigned_by uuid not null,
      recorded_at timestamptz(3),
      primary key (workspace_id, identifier)
    )`.execute(db);
  await sql`create index issued_unrecorded on issued (workspace_id, card_id) where recorded_at is null`.execute(db);
  await sql`create index issued_recorded on issued (recorded_at) where recorded_at is not null`.execute(db);
}

async function createCards(db: Kysely<unknown>): Promise<void> {
  // Searches compare titles after full case folding (Unicode 16, CaseFolding.txt, C and F), which Postgres has from
  // version 18 on. A PL/pgSQL function reads the mapping once per session; an SQL function would read it with every
  // statement. ASCII text needs no mapping.
  await sql`
    create function fold_case(value text) returns text language plpgsql immutable strict parallel safe as ${sql.lit(`
    begin
      if octet_length(value) = char_length(value) then
        return lower(value collate "C");
      end if;
      return (
        select string_agg(coalesce('${JSON.stringify(folding)}'::jsonb ->> one.spelling, one.spelling), '' order by one.place)
        from string_to_table(value, null) with ordinality as one (spelling, place)
      );
    end`)}`.execute(db);

  // The constraint is deferrable, so that one statement can rebalance a whole column.
  await sql`
    create table cards (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      board_id uuid not null,
      column_id uuid not null,
      position double precision not null,
      title text not null,
      description text,
      due_date timestamptz(3),
      priority text check (priority in ('super_urgent', 'urgent', 'important', 'nice_to_have')),
      completed_at timestamptz(3),
      archived_at timestamptz(3),
      created_by uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      assignee_user_ids uuid[] not null default '{}',
      label_ids uuid[] not null default '{}',
      subtask_total integer not null default 0,
      subtask_completed integer not null default 0,
      comment_count integer not null default 0,
      workstream_id uuid not null,
      identifier text not null,
      title_folded text not null generated always as (fold_case(title)) stored,
      primary key (workspace_id, id),
      foreign key (workspace_id, board_id) references boards,
      foreign key (workspace_id, column_id) references columns,
      foreign key (workspace_id, workstream_id) references workstreams,
      unique (workspace_id, identifier),
      unique (workspace_id, column_id, position) deferrable initially immediate
    )`.execute(db);

  // A projection of the dependency service's dependencies. A removed dependency leaves a tombstone.
  await sql`
    create table card_dependencies (
      workspace_id uuid not null,
      card_id uuid not null,
      depends_on_card_id uuid not null,
      version bigint not null,
      present boolean not null,
      primary key (workspace_id, card_id, depends_on_card_id)
    )`.execute(db);
  await sql`create index card_dependents on card_dependencies (workspace_id, depends_on_card_id)`.execute(db);
}

/** Creates the indexes that filter and sort lists of cards (ADR 0017, `cards/orders.ts`). */
async function createListIndexes(db: Kysely<unknown>): Promise<void> {
  // Keys that are not ids are hashed, with their names, to the format of an id. A PL/pgSQL function, because every
  // statement that writes cards prepares the expressions of the index: it would parse and plan the body of an SQL
  // function again (ADR 0029).
  await sql`
    create function card_filter_keys(
      board_id uuid, workstream_id uuid, priority text, completed boolean, archived boolean, label_ids uuid[],
      assignee_user_ids uuid[]
    ) returns uuid[] language plpgsql immutable parallel safe as ${sql.lit(`
    begin
      return array[board_id, workstream_id, md5('completed:' || completed)::uuid, md5('archived:' || archived)::uuid]
        || case when priority is not null then array[md5('priority:' || priority)::uuid] end
        || label_ids || assignee_user_ids;
    end`)}`.execute(db);

  // All filters by value share one GIN index: GIN skips through the rows of the rarest value, so several filters cost
  // as much as that one. The pending list is short, because every search scans it. `pg_trgm`, where it is installed,
  // indexes titles directly: Postgres would evaluate a function over titles for every card that the index finds.
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm'`.execute(db);
  const trigrams = rows[0] && sql`, title_folded ${sql.id(rows[0].schema, 'gin_trgm_ops')}`;
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
}

/** Creates labels, and the parts of a card, which are deleted with the card. */
async function createCardParts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table labels (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      name text not null,
      color text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (workspace_id, id)
    )`.execute(db);

  await sql`
    create table comments (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      card_id uuid not null,
      body text not null,
      created_by uuid not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, card_id) references cards on delete cascade
    )`.execute(db);
  await sql`create index comments_of_card on comments (workspace_id, card_id, id)`.execute(db);

  // The constraint is deferrable, so that one statement can rebalance all subtasks of a card.
  await sql`
    create table subtasks (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      card_id uuid not null,
      title text not null,
      completed_at timestamptz(3),
      position double precision not null,
      -- a projection of the linked file, owned by the attachment service
      linked_file jsonb,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      -- the version of that
      linked_file_version integer not null default 0,
      primary key (workspace_id, id),
      foreign key (workspace_id, card_id) references cards on delete cascade,
      unique (workspace_id, card_id, position) deferrable initially immediate
    )`.execute(db);
}
