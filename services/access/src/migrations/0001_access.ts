import { addLineageTime, createCommandLog, createLineageTable } from '@cardinal/db';
import { type Kysely, sql } from 'kysely';

/** API keys: of each what it may do, and the SHA-256 of its text. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCommandLog(db);
  await createLineageTable(db);
  await addLineageTime(db);
  await sql`
    create table api_keys (
      workspace_id uuid not null,
      id uuid not null,
      version integer not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      name text not null,
      user_id uuid not null,
      scope text not null check (scope in ('kanban:read', 'kanban:write', 'kanban:admin')),
      -- base64url of the SHA-256 of its text; null once it is revoked
      hash text,
      -- that of the text before a rotation, which is valid until then
      former_hash text,
      former_until timestamptz(3),
      created_by uuid not null,
      created_with uuid,
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(0),
      -- the epoch of this database in which it was last compared with the register
      epoch integer not null,
      primary key (workspace_id, id)
    ) with (fillfactor = 80)`.execute(db);
  await sql`create unique index api_keys_by_text on api_keys (workspace_id, hash) where hash is not null`.execute(db);
  await sql`create index api_keys_by_former_text on api_keys (workspace_id, former_hash) where former_hash is not null`.execute(
    db,
  );
  await sql`create index api_keys_of_user on api_keys (workspace_id, user_id, id)`.execute(db);
  await sql`create index api_keys_by_epoch on api_keys (epoch)`.execute(db);
  // Those that ended are forgotten after a time.
  await sql`create index api_keys_by_end on api_keys (least(expires_at, revoked_at))`.execute(db);
}
