import {
  type FeedChange,
  type FeedOwner,
  feedRequests,
  leastMargin,
  logMark,
  logMarkKey,
  unavailable,
} from '@cardinal/contracts';
import { changeOf, prepared } from '@cardinal/db';
import type { Part, SweeperOptions } from '@cardinal/runtime';
import { createLineage, type DatabaseLineage, type Met, tickMs } from '@cardinal/service';
import { sql } from 'kysely';
import type { Reader, ServiceContext, Tx } from '../context.ts';
import type { Append, Log } from '../log/append.ts';
import type { Position, Positions } from './merge.ts';
import type { Break, Rollbacks } from './round.ts';

/** Another instance may write the same mark. */
const maxTries = 20;
/** A mark is raised above the numbers by as much as there are numbers, within these bounds. */
const [minBlock, maxBlock] = [16, 4_096];
/** Changes of a feed that are compared at once. */
const comparedAtOnce = 500;
const waitingAtOnce = 1_000;
const nobody = '00000000-0000-0000-0000-000000000000';

type RollbacksContext = Pick<ServiceContext, 'db' | 'bus' | 'logger' | 'now'>;

/**
 * What the log does after a rollback of a database (ADR 0066): a number never names two events, and followers get a
 * `feed.reset`.
 * @param isTrusted TRUST_DATABASES
 */
export const createRollbacks = (
  context: RollbacksContext,
  { isTrusted = false } = {},
): Rollbacks & Pick<DatabaseLineage, 'current'> & { sweeper: Omit<SweeperOptions, 'logger'>; part: Part } => {
  const { db, bus, logger, now } = context;

  /**
   * Raises a mark in the register, where it is below the number.
   * @param numberOf computes the number from the present mark
   * @returns the number and the mark
   */
  const raiseMark = async (workspaceId: string, known: number, numberOf: (through: number) => number) => {
    const key = logMarkKey(workspaceId);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { value, revision } = await bus.register.read(key, logMark);
      const marked = value?.through ?? 0;
      const seq = numberOf(Math.max(marked, known));
      if (seq <= marked) return { seq, through: marked };
      const through = seq + Math.min(Math.max(seq, minBlock), maxBlock);
      if ((await bus.register.write(key, { through }, revision)) !== undefined) return { seq, through };
    }
    throw unavailable('The mark of the log changes all the time');
  };

  const reconcile = async (): Promise<void> => {
    for (let after = nobody; ; ) {
      const rows = await db.read((tx) => listMarked(tx, after));
      await Promise.all(rows.map((row) => raiseMark(row.workspace_id, row.through, () => row.through)));
      const last = rows.at(-1);
      if (!last || rows.length < waitingAtOnce) return;
      after = last.workspace_id;
    }
  };
  const lineage = createLineage('event', context, {
    hasIssued: sql`exists (select from logs where through > 0)`,
    advance: setLogsOn,
    reconcile,
    isTrusted,
  });

  /**
   * Finds the last change, at or before a position, that log and feed share; without one, the place before the feed's
   * oldest change.
   */
  const commonPosition = async (workspaceId: string, owner: FeedOwner, { seq }: Position): Promise<Position> => {
    /** Compares the changes after a number, as many as one answer holds. */
    const compareAfter = async (after: number) => {
      const { feeds } = await bus.call(feedRequests[owner].pull, { feeds: [{ workspace_id: workspaceId, after }] });
      const feed = feeds[0];
      if (!feed) throw unavailable(`${owner} does not know the feed`);
      const rows = await db.read((tx) => listLogged(tx, workspaceId, owner, after));
      const logged = new Map(rows.map(({ source_seq, id }) => [source_seq, id]));
      return { feed, common: feed.changes.findLast((one) => one.seq <= seq && logged.get(one.seq) === one.id) };
    };
    /** Continues from a shared change: a long history takes several answers. */
    const lastCommon = async ({ seq: known, id }: Pick<FeedChange, 'seq' | 'id'>): Promise<Position> => {
      const { common } = await compareAfter(known);
      return common ? lastCommon(common) : { seq: known, id };
    };
    for (let after = Math.max(0, seq - comparedAtOnce); ; after = Math.max(0, after - comparedAtOnce)) {
      const { feed, common } = await compareAfter(after);
      if (common) return lastCommon(common);
      if (after > 0) continue;
      const first = feed.changes[0];
      return first ? { seq: first.seq - 1, id: first.previous_id } : { seq: feed.last, id: feed.last_id };
    }
  };

  const reset = async ({ log, owners }: Break, { epoch }: Met): Promise<Append> => {
    const { workspace_id } = log;
    const positions: Positions = { ...log.positions };
    for (const owner of owners) positions[owner] = await commonPosition(workspace_id, owner, log.positions[owner]);
    const known = Math.max(log.last, log.through, (await lineage.beginningOfNew()).number);
    const isNew = known === 0 && owners.length === 0;
    // Nobody ever read a number of a workspace without a mark. It gets none here, as this round may come to nothing.
    if (isNew && !(await bus.register.read(logMarkKey(workspace_id), logMark)).value) {
      return { log: { ...log, epoch }, events: [] };
    }
    const { seq, through } = await raiseMark(workspace_id, known, (given) => given + 1);
    const database = owners[0] ?? 'event';
    const change = changeOf({
      type: 'feed.reset',
      by: { user_id: nobody },
      at: now(),
      subject: { type: 'feed', id: workspace_id },
      requestId: null,
      data: { database },
    });
    if (!change) throw new Error('A reset always has a change');
    return {
      log: { ...log, last: seq, through, epoch, positions },
      events: [{ ...change, source: null, source_seq: null }],
    };
  };

  return {
    met: lineage.met,
    current: lineage.current,
    isCurrent: lineage.isCurrent,
    noteAppended: (appends) => {
      lineage.noteWrite();
      for (const { log, events } of appends) {
        if (!events.some(({ type }) => type === 'feed.reset')) continue;
        const { workspace_id, last, positions } = log;
        const about = { workspace_id, seq: last, positions };
        logger.error(about, 'a feed or the log was rolled back: followers must read again');
      }
    },
    reset,
    raise: (logs) =>
      Promise.all(
        logs.map(async (log): Promise<Log> => {
          if (log.last <= log.through) return log;
          const { through } = await raiseMark(log.workspace_id, 0, () => log.last);
          return { ...log, through };
        }),
      ),
    waiting: async () => {
      const { epoch } = await lineage.met();
      const rows = await db.read((tx) => findWaiting.run(tx, [epoch]));
      return rows.map(({ workspace_id }) => workspace_id);
    },
    sweeper: { name: 'lineage', intervalMs: tickMs, run: lineage.sweep },
    part: lineage.part,
  };
};

/** $1 the epoch of the database. */
export const findWaiting = prepared<{ workspace_id: string }>(
  'find-waiting-logs',
  `select workspace_id from logs where epoch < $1 limit ${waitingAtOnce}`,
);

/** How many days before the last event show the most numbers of a day, and how many times those are skipped. */
const [daysLookedAt, times] = [30, 10];

/**
 * Raises the numbers of every log where nobody knows which were given out since the last write (ADR 0071), as for
 * workstreams.
 * @returns the largest margin, in numbers
 */
export const setLogsOn = async (tx: Tx, { days, least }: { days: number; least: number }): Promise<number> => {
  const { rows } = await sql<{ largest: number }>`
    with spans as (
      select workspace_id, first_seq,
        coalesce(lead(first_seq) over (partition by workspace_id order by days.logged_on), last + 1) as next_seq,
        days.logged_on > (select max(logged_on) from days) - ${daysLookedAt}::integer as counts
      from days join logs using (workspace_id)
    ),
    -- Numbers skipped by resets do not count as used: otherwise each margin would make the next one ten times larger.
    skipped as (
      select workspace_id, first_seq, sum(reset.seq - 1 - before.seq) as numbers
      from spans join events as reset using (workspace_id)
      cross join lateral (
        select coalesce(max(seq), 0) as seq from events
        where events.workspace_id = reset.workspace_id and events.seq < reset.seq
      ) as before
      where counts and reset.type = 'feed.reset' and reset.seq > first_seq and reset.seq <= next_seq
      group by workspace_id, first_seq
    ),
    busiest as (
      select workspace_id, max(next_seq - first_seq - coalesce(skipped.numbers, 0)) as numbers
      from spans left join skipped using (workspace_id, first_seq) where counts
      group by workspace_id
    ),
    margins as (
      select workspace_id,
        greatest(${least}::bigint, ${days}::bigint * greatest(${leastMargin}::bigint, ${times}::bigint * coalesce(numbers, 0))) as margin
      from logs left join busiest using (workspace_id)
    ),
    advanced as (
      update logs set through = greatest(last, through) + margin
      from margins where margins.workspace_id = logs.workspace_id
      returning margin
    )
    select coalesce(max(margin), 0)::bigint as largest from advanced`.execute(tx);
  return rows[0]?.largest ?? 0;
};

const listMarked = async (tx: Reader, after: string) => {
  const { rows } = await sql<{ workspace_id: string; through: number }>`
    select workspace_id, through from logs
    where workspace_id > ${after} and through > 0 order by workspace_id limit ${waitingAtOnce}`.execute(tx);
  return rows;
};

/** The log's changes of a feed, a few more than are compared at once. */
const listLogged = async (tx: Reader, workspaceId: string, owner: FeedOwner, after: number) => {
  const { rows } = await sql<{ source_seq: number; id: string }>`
    select source_seq, id from events
    where workspace_id = ${workspaceId} and source = ${owner}
      and source_seq > ${after} and source_seq <= ${after + 2 * comparedAtOnce}
    order by seq`.execute(tx);
  return rows;
};
