import { type FeedChange, type FeedOwner, feedRequests, logMark, logMarkKey, unavailable } from '@cardinal/contracts';
import { changeOf, prepared } from '@cardinal/db';
import type { SweeperOptions } from '@cardinal/runtime';
import { sql } from 'kysely';
import type { Reader, ServiceContext } from '../context.ts';
import type { Append, Log } from '../log/append.ts';
import type { Position, Positions } from './merge.ts';
import type { Break, Falls } from './round.ts';
import { createWitness, type Met } from './witness.ts';

/** Another instance may write the same mark. */
const maxTries = 20;
/** A mark is raised as far above the numbers as there are numbers, within these bounds. */
const [minBlock, maxBlock] = [16, 4_096];
/** Changes of a feed that are compared at once. */
const comparedAtOnce = 500;
const waitingAtOnce = 1_000;
const nobody = '00000000-0000-0000-0000-000000000000';

type FallsContext = Pick<ServiceContext, 'db' | 'bus' | 'logger' | 'now'>;

/** What the log does where a database fell back (ADR 0066): a number never names two events, and followers are told. */
export const createFalls = (context: FallsContext): Falls & { sweeper: Omit<SweeperOptions, 'logger'> } => {
  const { db, bus, logger, now } = context;

  /**
   * Raises a mark in the register, where it does not reach the number.
   * @param numberOf the number, given how far numbers may have been given
   * @returns the number and the mark
   */
  const raiseMark = async (workspaceId: string, known: number, numberOf: (through: number) => number) => {
    const key = logMarkKey(workspaceId);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { value, revision } = await bus.register.read(key);
      const marked = value === undefined ? 0 : logMark.parse(value).through;
      const seq = numberOf(Math.max(marked, known));
      if (seq <= marked) return { seq, through: marked, marked };
      const through = seq + Math.min(Math.max(seq, minBlock), maxBlock);
      if ((await bus.register.write(key, { through }, revision)) !== undefined) return { seq, through, marked };
    }
    throw unavailable('The mark of the log changes all the time');
  };

  const reconcile = async (): Promise<void> => {
    logger.warn('the register knows nothing of the logs, and is written again');
    for (let after = nobody; ; ) {
      const rows = await db.read((tx) => listMarked(tx, after));
      await Promise.all(rows.map((row) => raiseMark(row.workspace_id, row.through, () => row.through)));
      const last = rows.at(-1);
      if (!last || rows.length < waitingAtOnce) return;
      after = last.workspace_id;
    }
  };
  const witness = createWitness(context, reconcile);

  /** The last change at or before a position that log and feed both have; else what comes before all that the feed has. */
  const commonPosition = async (workspaceId: string, owner: FeedOwner, { seq }: Position): Promise<Position> => {
    /** Compares what follows a number, as far as one answer goes. */
    const compareAfter = async (after: number) => {
      const { feeds } = await bus.call(feedRequests[owner].pull, { feeds: [{ workspace_id: workspaceId, after }] });
      const feed = feeds[0];
      if (!feed) throw unavailable(`${owner} does not know the feed`);
      const rows = await db.read((tx) => listLogged(tx, workspaceId, owner, after));
      const logged = new Map(rows.map(({ source_seq, id }) => [source_seq, id]));
      return { feed, common: feed.changes.findLast((one) => one.seq <= seq && logged.get(one.seq) === one.id) };
    };
    /** Goes on from a change that both have: long ones are more than one answer. */
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
    const known = Math.max(log.last, log.through);
    const { seq, through, marked } = await raiseMark(workspace_id, known, (given) => given + 1);
    // Nobody ever read a number of a workspace without a mark.
    if (marked === 0 && known === 0 && owners.length === 0) return { log: { ...log, epoch }, events: [] };
    const database = owners[0] ?? 'event';
    const change = changeOf({
      type: 'feed.reset',
      by: { user_id: nobody },
      at: now(),
      subject: { type: 'feed', id: workspace_id },
      requestId: null,
      data: { database },
    });
    if (!change) throw new Error('A reset is always told');
    logger.error(
      { workspace_id, owners, seq, positions },
      'a feed or the log became an earlier one: followers read anew',
    );
    return {
      log: { ...log, last: seq, through, epoch, positions },
      events: [{ ...change, source: null, source_seq: null }],
    };
  };

  return {
    met: witness.met,
    isCurrent: witness.isCurrent,
    noteWrite: witness.noteWrite,
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
      const { epoch } = await witness.met();
      const rows = await db.read((tx) => findWaiting.run(tx, [epoch]));
      return rows.map(({ workspace_id }) => workspace_id);
    },
    sweeper: { name: 'log-witness', intervalMs: 1_000, run: witness.sweep },
  };
};

/** $1 how often the database has fallen back */
export const findWaiting = prepared<{ workspace_id: string }>(
  'find-waiting-logs',
  `select workspace_id from logs where epoch < $1 limit ${waitingAtOnce}`,
);

const listMarked = async (tx: Reader, after: string) => {
  const { rows } = await sql<{ workspace_id: string; through: number }>`
    select workspace_id, through from logs
    where workspace_id > ${after} and through > 0 order by workspace_id limit ${waitingAtOnce}`.execute(tx);
  return rows;
};

/** What the log has of a feed, a little more than is compared at once. */
const listLogged = async (tx: Reader, workspaceId: string, owner: FeedOwner, after: number) => {
  const { rows } = await sql<{ source_seq: number; id: string }>`
    select source_seq, id from events
    where workspace_id = ${workspaceId} and source = ${owner}
      and source_seq > ${after} and source_seq <= ${after + 2 * comparedAtOnce}
    order by seq`.execute(tx);
  return rows;
};
