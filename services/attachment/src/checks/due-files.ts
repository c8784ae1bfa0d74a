import { countUpTo } from '@cardinal/db';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { ServiceContext } from '../context.ts';
import type { Tx } from '../database.ts';
import { type StoredFile, toStored } from '../files/queries.ts';

const longestPauseMs = 30_000;

/** How long a file that could not be looked after is left alone, in milliseconds: longer each time, at most 30 s. */
export const retryPause = (attempts: number): number => Math.min(500 * 2 ** Math.min(attempts, 10), longestPauseMs);

interface Which {
  status: 'pending' | 'scanning';
  /** Leaves alone what somebody vanished over. */
  onlyUntouched?: boolean;
  /** No further file is taken, and one that fails is given back at once. */
  stopping: AbortSignal;
}

/**
 * Looks after every file that is due, one after the other. Each is ours while we are at it, under a lease that we keep
 * up; one that fails is tried again later.
 */
export const processDueFiles = async (
  { db, logger, now, config: { CHECK_LEASE_MS: leaseMs } }: Pick<ServiceContext, 'db' | 'logger' | 'now' | 'config'>,
  { status, onlyUntouched = false, stopping }: Which,
  work: (file: DueFile) => Promise<void>,
): Promise<void> => {
  const inMs = (ms: number) => new Date(now().getTime() + ms);
  const take = () => db.transaction((tx) => leaseDueFile(tx, { status, onlyUntouched }, now(), inMs(leaseMs)));

  const renewing = (file: DueFile) =>
    setInterval(() => {
      db.transaction((tx) => renewLease(tx, file, inMs(leaseMs))).catch((error) =>
        logger.warn({ err: error, file_id: file.id }, 'the lease on a file was not renewed'),
      );
    }, leaseMs / 3);

  for (let file = await take(); file; file = stopping.aborted ? undefined : await take()) {
    const renewals = renewing(file);
    try {
      // The stop may have come while the file was being taken.
      stopping.throwIfAborted();
      await work(file);
    } catch (error) {
      const pauseMs = stopping.aborted ? 0 : retryPause(file.attempts);
      const { id, workspace_id, lease_id } = file;
      logger.warn({ err: error, file_id: id, pauseMs }, 'a file could not be looked after; trying again later');
      await db.transaction((tx) => postpone(tx, { id, workspace_id, lease_id }, inMs(pauseMs)));
    } finally {
      clearInterval(renewals);
    }
  }
};

/** A file whose turn it is, and ours alone while the lease is kept. */
export type DueFile = StoredFile & {
  lease_id: string;
  /** How often its turn was before. */
  attempts: number;
  /** How often whoever had it vanished. */
  lost_leases: number;
};

/**
 * Takes a file that is due, unless another instance has it: workspaces take turns, and of one the file that is due
 * longest comes first. So the files of one workspace, however many, put off those of another by one file.
 * @param until when it is due again should we vanish
 */
const leaseDueFile = async (
  tx: Tx,
  { status, onlyUntouched }: Omit<Which, 'stopping'>,
  now: Date,
  until: Date,
): Promise<DueFile | undefined> => {
  const leaseId = v7();
  // One at a time, across instances: else two that look at once would both take the turn of one workspace.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`turns of ${status} files`}, 0))`.execute(tx);
  const next = sql`
    with recursive waiting (workspace_id) as (
      (select workspace_id from files where status = ${status} and due_at is not null order by workspace_id limit 1)
      union all
      select (select f.workspace_id from files f where f.status = ${status} and f.due_at is not null
        and f.workspace_id > waiting.workspace_id order by f.workspace_id limit 1)
      from waiting where waiting.workspace_id is not null
    )
    select due.workspace_id, due.id from waiting
    cross join lateral (
      select f.workspace_id, f.id, f.due_at from files f
      where f.workspace_id = waiting.workspace_id and f.status = ${status} and f.due_at <= ${now}
        and not (${onlyUntouched} and (f.lease_id is not null or f.lost_leases > 0))
      order by f.due_at limit 1) due
    left join turns on turns.workspace_id = due.workspace_id and turns.status = ${status}
    order by turns.taken_at nulls first, due.due_at limit 1`;
  const row = await tx
    .updateTable('files')
    .set((eb) => ({
      due_at: until,
      attempts: eb('attempts', '+', 1),
      lost_leases: sql<number>`lost_leases + (lease_id is not null)::integer`,
      lease_id: leaseId,
    }))
    .where(sql<boolean>`(workspace_id, id) = (${next})`)
    // Again, as it may just have changed.
    .where('status', '=', status)
    .where('due_at', '<=', now)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  await sql`
    insert into turns (workspace_id, status, taken_at) values (${row.workspace_id}, ${status}, clock_timestamp())
    on conflict (workspace_id, status) do update set taken_at = excluded.taken_at`.execute(tx);
  return { ...toStored(row), lease_id: leaseId, attempts: row.attempts - 1, lost_leases: row.lost_leases };
};

type Leased = Pick<DueFile, 'workspace_id' | 'id' | 'lease_id'>;

/** Keeps the lease on a file, where it is still ours. */
const renewLease = (tx: Tx, file: Leased, until: Date): Promise<void> => change(tx, file, { due_at: until });

/** Gives a file back, to be looked at later. */
export const postpone = (tx: Tx, file: Leased, until: Date): Promise<void> =>
  change(tx, file, { due_at: until, lease_id: null });

const change = async (tx: Tx, { workspace_id, id, lease_id }: Leased, set: { due_at: Date; lease_id?: null }) => {
  await tx
    .updateTable('files')
    .set(set)
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('lease_id', '=', lease_id)
    .execute();
};

/** Files that wait for the end of their checks, found in the index of what is due. For `sqlGauges`. */
export const dueFileGauges = {
  cardinal_unchecked_files: {
    help: 'Files that are here and whose checks have not ended, counted up to 10,000',
    value: countUpTo(
      sql`select 1 from files where status = 'scanning' and due_at is not null order by workspace_id, due_at`,
    ),
  },
  cardinal_unchecked_files_oldest_seconds: {
    help: 'For how long the oldest of them has been here, of 10,000 at most; 0 where there is none',
    value: sql<number>`coalesce((
      select extract(epoch from now() - min(uploaded_at))::float8
      from (
        select uploaded_at from files where status = 'scanning' and due_at is not null
        order by workspace_id, due_at limit 10000
      ) as waiting), 0)`,
  },
};
