import { countUpTo } from '@cardinal/db';
import { type Sweeper, sweeper } from '@cardinal/runtime';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { ServiceContext, StoredFile, Tx } from '../context.ts';

/**
 * How long a file that could not be looked after is left alone, in milliseconds: 0.5 s, longer each time, at most 30 s.
 * @param attempts how often its turn was, this time included
 */
const retryPause = (attempts: number): number => Math.min(250 * 2 ** attempts, 30_000);

/** The share of the time that the files of one user may take, while those of others wait. */
const share = 1 / 2;
/** How far a user's files may be ahead of that share, seconds. */
const headStartS = 15;

interface Which {
  status: 'pending' | 'scanning';
  /** Leaves alone what somebody vanished over, and files of users who have had more than their share. */
  onlyHarmless?: boolean;
  /** No further file is taken, and one that fails is given back at once. */
  stopping: AbortSignal;
}

type Context = Pick<ServiceContext, 'db' | 'logger' | 'now' | 'config'>;

/**
 * Looks after files of a status again and again, until it is stopped.
 * @param atOnce how many at once, but one only of those over which somebody vanished, or whose users have had more than
 *   their share: whatever ends the process each time takes no other file along for ever, and whatever takes long leaves room
 */
export const sweepDueFiles = (
  context: Context,
  { name, status, atOnce = 1 }: { name: string; status: Which['status']; atOnce?: number },
  work: (file: StoredFile, stopping: AbortSignal) => Promise<unknown>,
): Sweeper => {
  const stop = new AbortController();
  const stopping = stop.signal;
  const sweepers = Array.from({ length: atOnce }, (_, at) =>
    sweeper({
      name,
      intervalMs: context.config.CHECK_INTERVAL_MS,
      logger: context.logger,
      run: () => processDueFiles(context, { status, onlyHarmless: at > 0, stopping }, (file) => work(file, stopping)),
    }),
  );
  return {
    nudge() {
      for (const one of sweepers) one.nudge();
    },
    async stop() {
      stop.abort();
      await Promise.all(sweepers.map((one) => one.stop()));
    },
  };
};

/**
 * Looks after every file that is due, one after the other. Each is ours while we are at it, under a lease that we keep
 * up; one that fails is tried again later.
 * @param work answers `later` where it is too early for anything
 */
export const processDueFiles = async (
  { db, logger, now, config: { CHECK_LEASE_MS: leaseMs } }: Context,
  which: Which,
  work: (file: StoredFile) => Promise<unknown>,
): Promise<void> => {
  const { stopping } = which;
  const inMs = (ms: number) => new Date(now().getTime() + ms);
  const take = () => db.transaction((tx) => leaseDueFile(tx, which, now(), inMs(leaseMs)));

  for (let file = await take(); file; file = stopping.aborted ? undefined : await take()) {
    const { workspace_id, id, lease_id, attempts } = file;
    const begunAt = performance.now();
    const change = (set: { due_at: Date; lease_id?: null }) =>
      db.transaction((tx) =>
        tx
          .updateTable('files')
          .set(set)
          .where(({ and }) => and({ workspace_id, id, lease_id }))
          .execute(),
      );
    const giveBack = (pauseMs: number) => change({ due_at: inMs(pauseMs), lease_id: null });
    const renewals = setInterval(() => {
      change({ due_at: inMs(leaseMs) }).catch((error) =>
        logger.warn({ err: error, file_id: id }, 'the lease on a file was not renewed'),
      );
    }, leaseMs / 3);
    try {
      // The stop may have come while the file was being taken.
      stopping.throwIfAborted();
      if ((await work(file)) === 'later') await giveBack(retryPause(attempts));
    } catch (error) {
      const pauseMs = stopping.aborted ? 0 : retryPause(attempts);
      logger.warn({ err: error, file_id: id, pauseMs }, 'a file could not be looked after; trying again later');
      await giveBack(pauseMs);
    } finally {
      clearInterval(renewals);
      const tookS = (performance.now() - begunAt) / 1_000;
      await db
        .transaction((tx) => charge(tx, file, which.status, now(), tookS))
        .catch((error) => {
          logger.warn({ err: error, file_id: id }, 'what a file took was not counted');
        });
    }
  }
};

/**
 * Takes a file that is due, unless another instance has it: workspaces take turns, then the users of one who created its
 * files, and of one user the file that is due longest comes first. So the files of one, however many, put off those of
 * another by one file. Users whose files took more than their share come after all others.
 * @param until when it is due again should we vanish
 */
const leaseDueFile = async (tx: Tx, { status, onlyHarmless = false }: Which, now: Date, until: Date) => {
  // One at a time, across instances: else two that look at once would both take the turn of one workspace.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`turns of ${status} files`}, 0))`.execute(tx);
  const next = sql`
    with recursive waiting (workspace_id, user_id) as (
      (select workspace_id, created_by from files where status = ${status} and due_at is not null
        order by workspace_id, created_by limit 1)
      union all
      select next.workspace_id, next.created_by from waiting
      cross join lateral (
        select f.workspace_id, f.created_by from files f where f.status = ${status} and f.due_at is not null
          and (f.workspace_id, f.created_by) > (waiting.workspace_id, waiting.user_id)
        order by f.workspace_id, f.created_by limit 1) next
    )
    select due.workspace_id, due.id from waiting
    cross join lateral (
      select f.workspace_id, f.id, f.due_at from files f
      where f.workspace_id = waiting.workspace_id and f.created_by = waiting.user_id and f.status = ${status}
        and f.due_at <= ${now} and not (${onlyHarmless} and (f.lease_id is not null or f.lost_leases > 0))
      order by f.due_at limit 1) due
    left join turns on turns.workspace_id = waiting.workspace_id and turns.status = ${status}
    left join user_turns on user_turns.workspace_id = waiting.workspace_id and user_turns.user_id = waiting.user_id
      and user_turns.status = ${status}
    cross join lateral (
      select coalesce(user_turns.even_at > ${now}::timestamptz + ${headStartS} * interval '1 s', false) as late) standing
    where not (${onlyHarmless} and standing.late)
    order by standing.late, turns.taken_at nulls first, user_turns.taken_at nulls first, due.due_at limit 1`;
  const file = await tx
    .updateTable('files')
    .set((eb) => ({
      due_at: until,
      attempts: eb('attempts', '+', 1),
      lost_leases: sql<number>`lost_leases + (lease_id is not null)::integer`,
      lease_id: v7(),
    }))
    .where(sql<boolean>`(workspace_id, id) = (${next})`)
    // Again, as it may just have changed.
    .where('status', '=', status)
    .where('due_at', '<=', now)
    .returningAll()
    .executeTakeFirst();
  if (file) {
    await sql`
      insert into turns (workspace_id, status, taken_at) values (${file.workspace_id}, ${status}, clock_timestamp())
      on conflict (workspace_id, status) do update set taken_at = excluded.taken_at`.execute(tx);
    await sql`
      insert into user_turns (workspace_id, user_id, status, taken_at, even_at)
      values (${file.workspace_id}, ${file.created_by}, ${status}, clock_timestamp(), ${now})
      on conflict (workspace_id, user_id, status) do update set taken_at = excluded.taken_at`.execute(tx);
  }
  return file;
};

/** Counts what looking after a file took, for the user who created it. */
const charge = (tx: Tx, file: StoredFile, status: Which['status'], now: Date, tookS: number) =>
  tx
    .updateTable('user_turns')
    .set({ even_at: sql`greatest(even_at, ${now}) + ${tookS / share} * interval '1 s'` })
    .where(({ and }) => and({ workspace_id: file.workspace_id, user_id: file.created_by, status }))
    .execute();

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
