import { createJobs } from '@cardinal/jobs';
import { type Kysely, sql } from 'kysely';

/** What is put off waits in one table, whatever it is (ADR 56). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createJobs(db);
  await sql`
    insert into jobs (workspace_id, kind, key, user_id, created_at, due_at, attempts)
    select workspace_id, case status when 'pending' then 'collect-uploads' else 'check-files' end, id, created_by,
      coalesce(uploaded_at, created_at), due_at, attempts
    from files where status in ('pending', 'scanning')`.execute(db);
  // Whose file it was, nobody knows any more where it is gone: each takes a turn of its own.
  await sql`
    insert into jobs (workspace_id, kind, key, user_id, created_at, due_at)
    select workspace_id, 'remove-bytes', file_id || suffix, file_id, created_at, at
    from removals, lateral (values ('', due_at), ('/last', last_at)) as twice (suffix, at)`.execute(db);
  await sql`drop table removals, turns, user_turns`.execute(db);
  // With what was said of them: two indexes, and that files under way have a time.
  await sql`alter table files drop due_at, drop attempts, drop lease_id, drop lost_leases`.execute(db);
}
