import { createDeadLetters, createOutbox } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** Edges between cards, the order that keeps them free of cycles, and the lock of each workspace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createOutbox(db);
  await createDeadLetters(db);

  // The lock under which a workspace's graph is read and changed. It keeps the bounds of its order, so a new card can
  // be appended without a look at the others.
  await sql`
    create table workspaces (
      workspace_id uuid primary key,
      last_change bigint not null default 0,
      first_position bigint not null default 0,
      last_position bigint not null default 0
    ) with (fillfactor = 50)`.execute(db);

  // Cards that have or had edges, with their place in the order, and the tombstones of deleted ones. The place is
  // deferrable, because one statement swaps positions.
  await sql`
    create table cards (
      workspace_id uuid not null,
      id uuid not null,
      position bigint,
      deleted_at timestamptz(3),
      primary key (workspace_id, id),
      unique (workspace_id, position) deferrable initially immediate,
      check ((position is null) = (deleted_at is not null))
    )`.execute(db);

  // The version is the number of the change that made the edge: it rises within a workspace, so it is also the order of
  // age that the lists follow.
  await sql`
    create table edges (
      workspace_id uuid not null,
      card_id uuid not null,
      depends_on_card_id uuid not null,
      version bigint not null,
      created_at timestamptz(3) not null,
      primary key (workspace_id, card_id, depends_on_card_id)
    )`.execute(db);
  await sql`create unique index edges_of_card on edges (workspace_id, card_id, version)`.execute(db);
  await sql`create unique index edges_to_card on edges (workspace_id, depends_on_card_id, version)`.execute(db);
}
