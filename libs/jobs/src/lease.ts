import { type Database, prepared } from '@cardinal/db';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { JobKey } from './enqueue.ts';

/** A job that this process has leased. */
export interface Job extends JobKey {
  user_id: string;
  created_at: Date;
  /** How often the job was leased, this time included. */
  attempts: number;
  /** How many leases of the job expired because their process crashed. */
  lost_leases: number;
  lease_id: string;
}

/** The share of time for the jobs of one user while jobs of others wait. */
const share = 1 / 2;
/** How far the jobs of a user can exceed that share, seconds. */
const allowanceS = 15;

/** Below this number of due jobs, the statement reads them all to find their users. */
const few = 1_000;

/** A request for a lease. */
interface LeaseRequest {
  kind: string;
  /** Leaves out jobs that lost a lease, and jobs of users above their share of time. */
  onlyRegular: boolean;
  now: Date;
  /** The end of the lease. From then on, another process can take the job. */
  until: Date;
}

/**
 * Finds whether a job is due. The choice of the next job costs ten times as much, so it runs only where one is due.
 *
 * $1 the kind, $2 now
 */
const findDue = prepared('find-due-job', 'select from jobs where kind = $1 and due_at <= $2 limit 1');

/**
 * Leases a job that is due and that no other process has leased. The choice is round-robin between workspaces, then
 * between the users of a workspace; of one user, the job that is due longest comes first. So any number of jobs of one
 * user delay those of another by one job. Users above their share of time come last.
 * @returns undefined where no job is due
 */
export const leaseJob = async <Tables>(db: Database<Tables>, request: LeaseRequest): Promise<Job | undefined> => {
  const { kind, onlyRegular, now, until } = request;
  const due = await db.read((tx) => findDue.run(tx, [kind, now]));
  if (due.length === 0) return undefined;
  // The statement is sent again after a broken connection. A job that the first one leased waits until its lease
  // expires.
  const { rows } = await db.statement((tx) =>
    sql<Job | { key: null }>`
      with recursive longest_due as materialized (
        select workspace_id, user_id from jobs where kind = ${kind} and due_at <= ${now} order by due_at limit ${few}
      ), waiting (workspace_id, user_id, is_step) as (
        -- Few jobs: scan for their users. Many: one index step from each user to the next.
        (select distinct workspace_id, user_id, false from longest_due
          where (select count(*) from longest_due) < ${few}
        union all
        (select workspace_id, user_id, true from jobs where kind = ${kind} and due_at is not null
          and (select count(*) from longest_due) = ${few} order by workspace_id, user_id limit 1))
        union all
        select next.workspace_id, next.user_id, true from waiting
        cross join lateral (
          select workspace_id, user_id from jobs where is_step and kind = ${kind} and due_at is not null
            and (workspace_id, user_id) > (waiting.workspace_id, waiting.user_id)
          order by workspace_id, user_id limit 1) next
      ), next as (
        select due.* from waiting
        cross join lateral (
          select workspace_id, user_id, key, due_at, lease_id from jobs
          where kind = ${kind} and (workspace_id, user_id) = (waiting.workspace_id, waiting.user_id) and due_at <= ${now}
            and not (${onlyRegular} and (lease_id is not null or lost_leases > 0))
          order by due_at, id limit 1) due
        left join job_turns of_workspace on of_workspace.workspace_id = due.workspace_id and of_workspace.kind = ${kind}
          and of_workspace.user_id is null
        left join job_turns of_user on of_user.workspace_id = due.workspace_id and of_user.kind = ${kind}
          and of_user.user_id = due.user_id
        cross join lateral (
          select coalesce(of_user.even_at > ${now}::timestamptz + ${allowanceS} * interval '1 s', false) as late) standing
        where not (${onlyRegular} and late)
        order by late, of_workspace.taken_at nulls first, of_user.taken_at nulls first, due.due_at limit 1
      ), leased as (
        -- Of two processes that find the same job one gets it, the other looks again.
        update jobs set due_at = ${until}, lease_id = ${v7()}, attempts = attempts + 1,
          lost_leases = lost_leases + (jobs.lease_id is not null)::integer
        from next
        where (jobs.workspace_id, jobs.kind, jobs.key) = (next.workspace_id, ${kind}, next.key)
          and jobs.due_at <= ${now} and jobs.lease_id is not distinct from next.lease_id
        returning jobs.*
      ), turns as (
        insert into job_turns (workspace_id, kind, user_id, taken_at, even_at)
        select workspace_id, ${kind}, whose, clock_timestamp(), ${now} from leased, unnest(array[null, user_id]) as whose
        on conflict (workspace_id, kind, user_id) do update set taken_at = excluded.taken_at
      )
      select leased.* from next left join leased on true`.execute(tx),
  );
  const [job] = rows;
  return job?.key === null ? leaseJob(db, request) : job;
};

/** Extends the lease of a job, unless this process lost it. @param until the new end of the lease */
export const renewLease = <Tables>(db: Database<Tables>, job: Job, until: Date) =>
  db.statement((tx) => sql`update jobs set due_at = ${until} where ${holdsLease(job)}`.execute(tx));

/** The end of a run of a job. */
export interface End {
  /** When the job runs again; absent where it is done. */
  again?: Date;
  /** The error of a failure. */
  error?: string;
  now: Date;
  /** The duration of the run, seconds. */
  durationS: number;
}

/**
 * Deletes a job that is done, or releases its lease, and charges the duration to the job's user. Does nothing where the
 * job was enqueued again, or another process has taken it.
 */
export const endLease = <Tables>(db: Database<Tables>, job: Job, { again, error, now, durationS }: End) =>
  db.statement((tx) =>
    sql`
      with ended as (${
        again === undefined
          ? sql`delete from jobs where ${holdsLease(job)} returning 1`
          : sql`update jobs set due_at = ${again}, lease_id = null, error = ${error ?? null} where ${holdsLease(job)} returning 1`
      })
      update job_turns set even_at = greatest(even_at, ${now}) + ${durationS / share} * interval '1 s'
      where workspace_id = ${job.workspace_id} and kind = ${job.kind} and user_id = ${job.user_id}
        and exists (select 1 from ended)`.execute(tx),
  );

const holdsLease = ({ workspace_id, kind, key, lease_id }: Job) =>
  sql`workspace_id = ${workspace_id} and kind = ${kind} and key = ${key} and lease_id = ${lease_id}`;
