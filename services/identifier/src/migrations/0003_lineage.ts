import { createLineageTable } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** Grants count for an epoch, begin above what was granted in earlier ones, and are sized by use (ADR 0042). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createLineageTable(db);
  await sql`
    alter table workstreams
      add column epoch integer not null default 1,
      add column epoch_base bigint not null default 0,
      -- How many numbers were granted at last, and when; null before the first grant that was sized.
      add column grant_size integer,
      add column granted_at timestamptz(3)`.execute(db);
}
