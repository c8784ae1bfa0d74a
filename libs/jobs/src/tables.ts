import type { Reader } from '@cardinal/db';
import { sql } from 'kysely';

/**
 * Creates the tables `jobs`, a queue of background work, and `job_turns`, with the time at which each workspace and
 * user last had a job leased, and the time that their jobs took. Call it in a migration.
 *
 * Nothing writes `lane`, and `due_at` is never null. Release 1.1.0 reads `lane` by its index, so both stay until that
 * is no longer the previous release.
 */
export async function createJobs(db: Reader): Promise<void> {
  await sql`
    create table jobs (
      workspace_id uuid not null,
      kind text not null,
      -- its subject: enqueued twice it is one job
      key text not null,
      -- the user whose share it uses in the workspace
      user_id uuid not null,
      -- jobs of one lane run one after the other, in the order of their ids
      lane text,
      id bigint generated always as identity,
      created_at timestamptz(3) not null,
      -- when it runs, or when the lease of a dead process expires; null once it was given up
      due_at timestamptz(3),
      attempts integer not null default 0,
      lease_id uuid,
      lost_leases integer not null default 0,
      error text,
      primary key (workspace_id, kind, key)
    )`.execute(db);
  await sql`create index jobs_due on jobs (kind, due_at) where due_at is not null`.execute(db);
  await sql`
    create index jobs_by_user on jobs (kind, workspace_id, user_id, due_at) where due_at is not null`.execute(db);
  await sql`create index jobs_failed on jobs (kind) where error is not null`.execute(db);
  await sql`create index jobs_of_lane on jobs (workspace_id, kind, lane, id) where lane is not null`.execute(db);
  await sql`
    create table job_turns (
      workspace_id uuid not null,
      kind text not null,
      -- null in the row of the workspace itself
      user_id uuid,
      taken_at timestamptz not null,
      -- when the time used by this user's jobs is evened out
      even_at timestamptz not null,
      unique nulls not distinct (workspace_id, kind, user_id)
    )`.execute(db);
}
