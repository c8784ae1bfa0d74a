import type { AnyTransaction } from '@cardinal/db';
import { sql } from 'kysely';

/** Which job of a service. */
export interface JobKey {
  workspace_id: string;
  kind: string;
  /** What it is about, such as the id of a file. */
  key: string;
}

interface NewJob extends JobKey {
  /** Whose turn it takes within the workspace. */
  user_id: string;
  due_at: Date;
}

/**
 * Asks for jobs in the transaction that makes them necessary. One that is there already begins anew, also where somebody
 * has it in hand, who then ends it in vain.
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

/** Takes a job back that is no longer necessary. */
export const dequeue = async (tx: AnyTransaction, { workspace_id, kind, key }: JobKey): Promise<void> => {
  await sql`delete from jobs where workspace_id = ${workspace_id} and kind = ${kind} and key = ${key}`.execute(tx);
};
