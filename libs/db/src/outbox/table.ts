import { sql } from 'kysely';
import type { Reader } from '../handles.ts';

/** Creates `outbox`: events written with the change they tell of. For a service's first migration. */
export async function createOutbox(db: Reader): Promise<void> {
  // Room on each page, because every row is updated twice right after its insert.
  await sql`
    create table outbox (
      id uuid primary key,
      workspace_id uuid not null,
      subject text not null,
      event jsonb not null,
      created_at timestamptz(3) not null default now(),
      leased_until timestamptz(3),
      published_at timestamptz(3)
    ) with (fillfactor = 60)`.execute(db);
  await sql`create index outbox_unpublished on outbox (id) where published_at is null`.execute(db);
}
