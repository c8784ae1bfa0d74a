import { type Kysely, sql } from 'kysely';

/** Who looks after a file just now, and how long bytes may still turn up for one whose bytes must go. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table files
      -- of whoever looks after it until due_at; one that is still there then belongs to a process that vanished
      add lease_id uuid,
      add lost_leases integer not null default 0`.execute(db);
  await sql`
    alter table removals
      add due_at timestamptz(3) not null default now(),
      -- nothing can turn up any more
      add last_at timestamptz(3) not null default now()`.execute(db);
  await sql`alter table removals alter due_at drop default, alter last_at drop default`.execute(db);
  await sql`create index removals_due on removals (due_at)`.execute(db);
}
