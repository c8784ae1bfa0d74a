import { sql } from 'kysely';
import type { Reader } from '../handles.ts';

/** Creates `inbox` (events applied) and `dead_letters` (events given up on). For a service's first migration. */
export async function createInbox(db: Reader): Promise<void> {
  await sql`
    create table inbox (
      workspace_id uuid not null,
      id uuid not null,
      type text not null,
      applied_at timestamptz(3) not null default now(),
      primary key (workspace_id, id)
    )`.execute(db);
  await sql`create index inbox_by_age on inbox (applied_at)`.execute(db);
  // json, not jsonb: what arrived is kept as it was, and jsonb refuses NUL and lone surrogates.
  await sql`
    create table dead_letters (
      id uuid primary key default gen_random_uuid(),
      event json not null,
      error text not null,
      failed_at timestamptz(3) not null default now()
    )`.execute(db);
}
