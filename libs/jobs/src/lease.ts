import { type Database, prepared } from '@cardinal/db';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { JobKey } from './enqueue.ts';

/** A job that is ours until its lease is over. */
export interface Job extends JobKey {
  user_id: string;
  created_at: Date;
  /** How often its turn was, this time included. */
  attempts: number;
  /** How many processes vanished over it. */
  lost_leases: number;
  lease_id: string;
}

/** The share of the time that the jobs of one user may take, while those of others wait. */
const share = 1 / 2;
/** How far a user's jobs may be ahead of that share, seconds. */
const headStartS = 15;

/** As many jobs are looked at one by one. */
const few = 1_000;

interface Which {
  kind: string;
  /** Leaves alone what somebody vanished over, and jobs of users who have had more than their share. */
  onlyHarmless: boolean;
  now: Date;
  /** When it is due again should we vanish. */
  until: Date;
}

/** $1 kind, $2 now. To plan whose turn it is costs ten times as much, so that waits until something is due. */
const findDue = prepared('find-due-job', 'select from jobs where kind = $1 and due_at <= $2 limit 1');

/**
 * Takes a job that is due, unless another process has it: workspaces take turns, then the users of one, and of one user the
 * job that is due longest comes first. So the jobs of one, however many, put off those of another by one job. Users whose
 * jobs took more than their share come after all others.
 */
export const leaseJob = async <Tables>(db: Database<Tables>, which: Which): Promise<Job | undefined> => {
  const { kind, onlyHarmless, now, until } = which;
  const due = await db.read((tx) => findDue.run(tx, [kind, now]));
  if (due.length === 0) return undefined;
  // Repeated where a connection broke: what it took then, nobody has, and is taken over once its lease is over.
  const { rows } = await db.statement((tx) =>
    sql<Job | { key: null }>`
      with recursive longest_due as materialized (
        select workspace_id, user_id from jobs where kind = ${kind} and due_at <= ${now} order by due_at limit ${few}
      ), waiting (workspace_id, user_id, is_step) as (
        -- Of few jobs, each user who has one; of many, one step in the index from each user to the next.
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
            and not (${onlyHarmless} and (lease_id is not null or lost_leases > 0))
          order by due_at, id limit 1) due
        left join job_turns of_workspace on of_workspace.workspace_id = due.workspace_id and of_workspace.kind = ${kind}
          and of_workspace.user_id is null
        left join job_turns of_user on of_user.workspace_id = due.workspace_id and of_user.kind = ${kind}
          and of_user.user_id = due.user_id
        cross join lateral (
          select coalesce(of_user.even_at > ${now}::timestamptz + ${headStartS} * interval '1 s', false) as late) standing
        where not (${onlyHarmless} and late)
        order by late, of_workspace.taken_at nulls first, of_user.taken_at nulls first, due.due_at limit 1
      ), leased as (
        -- Two who look at once find the same job: one gets it, the other looks again.
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
  return job?.key === null ? leaseJob(db, which) : job;
};

/** Keeps a job. */
export const renewLease = <Tables>(db: Database<Tables>, job: Job, until: Date) =>
  db.statement((tx) => sql`update jobs set due_at = ${until} where ${isOurs(job)}`.execute(tx));

/** How a turn of a job ended. */
export interface End {
  /** When it is due again; left out where it is done. */
  again?: Date;
  /** What it failed of. */
  error?: string;
  now: Date;
  /** What it took, seconds. */
  tookS: number;
}

/** Ends a job, or gives it back, unless somebody asked for it anew or took it over; charges its user for what it took. */
export const endLease = <Tables>(db: Database<Tables>, job: Job, { again, error, now, tookS }: End) =>
  db.statement((tx) =>
    sql`
      with ended as (${
        again === undefined
          ? sql`delete from jobs where ${isOurs(job)} returning 1`
          : sql`update jobs set due_at = ${again}, lease_id = null, error = ${error ?? null} where ${isOurs(job)} returning 1`
      })
      update job_turns set even_at = greatest(even_at, ${now}) + ${tookS / share} * interval '1 s'
      where workspace_id = ${job.workspace_id} and kind = ${job.kind} and user_id = ${job.user_id}
        and exists (select 1 from ended)`.execute(tx),
  );

const isOurs = ({ workspace_id, kind, key, lease_id }: Job) =>
  sql`workspace_id = ${workspace_id} and kind = ${kind} and key = ${key} and lease_id = ${lease_id}`;
