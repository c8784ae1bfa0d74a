import { type Kysely, sql } from 'kysely';

/** Private boards with their members, labels, and what hangs on a card: comments and subtasks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table boards
      drop constraint boards_visibility_check,
      add constraint boards_visibility_check check (visibility in ('workspace', 'private'))`.execute(db);

  // Who sees a private board besides its creator.
  await sql`
    create table board_members (
      workspace_id uuid not null,
      board_id uuid not null,
      user_id uuid not null,
      created_at timestamptz(3) not null,
      primary key (workspace_id, board_id, user_id),
      foreign key (workspace_id, board_id) references boards
    )`.execute(db);

  await sql`
    create table labels (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      name text not null,
      colour text not null,
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

  // Deferrable, so that one statement may rebalance all subtasks of a card.
  await sql`
    create table subtasks (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null,
      card_id uuid not null,
      title text not null,
      completed_at timestamptz(3),
      position double precision not null,
      -- what the attachment service last said of the file linked to it
      linked_file jsonb,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, card_id) references cards on delete cascade,
      unique (workspace_id, card_id, position) deferrable initially immediate
    )`.execute(db);
}
