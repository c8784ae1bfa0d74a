import type { AnyTransaction } from '@cardinal/db';
import { sql } from 'kysely';

/** The key of a job, unique within a service. */
export interface JobKey {
  workspace_id: string;
  kind: string;
  /** The subject of the job, such as the id of a file. */
  key: string;
}

interface NewJob extends JobKey {
  /** The user to whom the job is charged. */
  user_id: string;
  /** The time from which the job can run. */
  due_at: Date;
}

/**
 * Enqueues jobs, in the transaction that makes them necessary. A job that exists already is reset. A process that runs
 * it at that moment loses the lease, and its result is ignored.
 */
export const enqueue = async (tx: AnyTransaction, jobs: readonly NewJob[], now: Date): Promise<void> => {
  const rows = jobs.map(
    ({ workspace_id, kind, key, user_id, due_at }) =>
      sql`(${workspace_id}::uuid, ${kind}, ${key}, ${user_id}::uuid, ${now}::timestamptz, ${due_at}::timestamptz)`,
  );
  await sql`
    insert into jobs (workspace_id, kind, key, user_id, created_at, due_at) values ${sql.join(rows)}
    on conflict (workspace_id, kind, key) do update set created_at = excluded.created_at, due_at = excluded.due_at,
      attempts = 0, lost_leases = 0, lease_id = null, error = null`.execute(tx);
};

/** Removes a job that is no longer necessary. A process that runs it at that moment loses the lease. */
export const dequeue = async (tx: AnyTransaction, { workspace_id, kind, key }: JobKey): Promise<void> => {
  await sql`delete from jobs where workspace_id = ${workspace_id} and kind = ${kind} and key = ${key}`.execute(tx);
};
