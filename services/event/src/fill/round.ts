import type { Bus } from '@cardinal/bus';
import { type FeedOwner, feedOwners, feedRequests, type PulledFeed } from '@cardinal/contracts';
import type { Database } from '@cardinal/db';
import { counter, failpoint } from '@cardinal/runtime';
import type { Met } from '@cardinal/service';
import type { Tables, Tx } from '../context.ts';
import { type Append, append, findLogs, type Log, lockLogs, type NewEvent } from '../log/append.ts';
import { brokenFeeds, merge, type PulledFeeds, type SourcedChange } from './merge.ts';

/** A workspace with feeds that do not continue from its log. */
export interface Break {
  log: Log;
  feeds: PulledFeeds;
  owners: FeedOwner[];
}

/** Keeps numbers and logs right after a rollback (ADR 0066). */
export interface Rollbacks {
  /** Meets the log's database. @throws CardinalError `unavailable` */
  met: () => Promise<Met>;
  /** Whether it is still the database of a transaction, whose logs are locked. */
  isCurrent: (tx: Tx, met: Met) => Promise<boolean>;
  /**
   * Raises each log's mark in the register to its last number. Called before the transaction that gives the numbers.
   */
  raise: (logs: readonly Log[]) => Promise<Log[]>;
  /**
   * Makes the append for a log that a feed does not continue, or whose database was rolled back: a `feed.reset` above
   * every number that may have been given. The log of a workspace that never had numbers needs none.
   */
  reset: (broken: Break, met: Met) => Promise<Append>;
  /** Called with what was appended, or may have been. */
  noteAppended: (appends: Iterable<Append>) => void;
  /** Reads some of the logs that were not corrected yet after a rollback. */
  waiting: () => Promise<string[]>;
}

interface RoundContext {
  db: Database<Tables>;
  bus: Pick<Bus, 'call'>;
  rollbacks: Rollbacks;
}

const rounds = counter({ name: 'cardinal_log_rounds_total', help: 'Rounds in which feeds were pulled for the log' });
const appended = counter({ name: 'cardinal_log_events_total', help: 'Events that this process appended to the log' });

/** The outcome of a round. */
export interface RoundResult {
  /** Logs that grew, with their last number. */
  grown: { workspace_id: string; last: number }[];
  /** Workspaces that need another round at once. */
  again: string[];
  /** Workspaces without an append, as a writer is open. */
  later: string[];
}

/** An append to a log, if the log is unchanged then. */
interface Planned extends Append {
  before: Log;
  /** Whether something is left for the next round. */
  isMore: boolean;
}

/**
 * Brings the logs of some workspaces up to their feeds: pulls all feeds at once, merges them, and appends in one
 * transaction where the log is unchanged; otherwise another instance was faster.
 * @throws CardinalError `unavailable` where an owner does not answer: the order needs all of them
 */
export const runRound = async ({ db, bus, rollbacks }: RoundContext, ids: readonly string[]): Promise<RoundResult> => {
  rounds().inc();
  const met = await rollbacks.met();
  const logs = await db.read((tx) => findLogs(tx, ids));
  const pulled = await pullFeeds(bus, [...logs.values()]);
  const [again, later]: [string[], string[]] = [[], []];
  const plans: Planned[] = [];
  for (const [id, before] of logs) {
    const feeds = pulled.get(id);
    const owners = feeds ? brokenFeeds(before.positions, feeds) : [];
    if (feeds && (owners.length > 0 || before.epoch < met.epoch)) {
      plans.push({ before, ...(await rollbacks.reset({ log: before, feeds, owners }, met)), isMore: true });
    } else {
      const plan = feeds && planOf(before, feeds);
      if (plan && plan.events.length > 0) plans.push(plan);
      else if (plan?.isMore ?? true) later.push(id);
    }
  }
  if (plans.length === 0) return { grown: [], again, later };

  const raised = await rollbacks.raise(plans.map(({ log }) => log));
  const done = await appendUnchanged(
    db,
    plans.map((plan, at) => ({ ...plan, log: raised[at] ?? plan.log })),
    (tx) => rollbacks.isCurrent(tx, met),
  );
  rollbacks.noteAppended(done);
  // Another instance may have appended less than this one pulled.
  const appendedTo = new Set([...done].map(({ log }) => log.workspace_id));
  again.push(
    ...plans.flatMap(({ isMore, log: { workspace_id } }) =>
      isMore || !appendedTo.has(workspace_id) ? [workspace_id] : [],
    ),
  );
  return { grown: [...done].map(({ log: { workspace_id, last } }) => ({ workspace_id, last })), again, later };
};

const planOf = (before: Log, feeds: PulledFeeds): Planned => {
  const { changes, positions, isMore } = merge(before.positions, feeds);
  const log = { ...before, last: before.last + changes.length, positions };
  return { before, log, events: changes.map(eventOf), isMore };
};

/** Appends to those of the logs that are unchanged. @returns the appends that were done */
const appendUnchanged = async (
  db: RoundContext['db'],
  plans: readonly Planned[],
  isCurrent: (tx: Tx) => Promise<boolean>,
): Promise<Set<Planned>> => {
  const ids = plans.map(({ log }) => log.workspace_id);
  const done = await db.transaction(async (tx) => {
    const locked = await lockLogs(tx, ids);
    if (!(await isCurrent(tx))) return new Set<Planned>();
    const unchanged = plans.filter(({ before }) => isSame(before, locked.get(before.workspace_id)));
    if (unchanged.length > 0) await append(tx, unchanged);
    failpoint('before-log-commit');
    return new Set(unchanged);
  });
  failpoint('after-log-commit');
  for (const { events } of done) appended().inc(events.length);
  return done;
};

/** Pulls from all owners at once. @returns the feeds of each workspace that all of them answered for */
const pullFeeds = async (bus: Pick<Bus, 'call'>, logs: readonly Log[]): Promise<Map<string, PulledFeeds>> => {
  const pulls = feedOwners.map(async (owner) => {
    const feeds = logs.map(({ workspace_id, positions }) => ({ workspace_id, after: positions[owner].seq }));
    const reply = await bus.call(feedRequests[owner].pull, { feeds });
    return [owner, new Map(reply.feeds.map((feed) => [feed.workspace_id, feed]))] as const;
  });
  const answers = await Promise.all(pulls);
  const feedsOf = (id: string) =>
    answers.flatMap(([owner, feeds]): [FeedOwner, PulledFeed][] => {
      const feed = feeds.get(id);
      return feed ? [[owner, feed]] : [];
    });
  return new Map(
    logs.flatMap(({ workspace_id }) => {
      const feeds = feedsOf(workspace_id);
      return feeds.length === feedOwners.length ? [[workspace_id, Object.fromEntries(feeds) as PulledFeeds]] : [];
    }),
  );
};

const eventOf = ({ id, type, card_id, board_id, other_board_id, source, seq, event }: SourcedChange): NewEvent => ({
  id,
  type,
  card_id,
  board_id,
  other_board_id,
  source,
  source_seq: seq,
  event,
});

const isSame = (before: Log, now: Log | undefined): boolean =>
  now !== undefined &&
  before.last === now.last &&
  before.epoch === now.epoch &&
  feedOwners.every((owner) => {
    const [one, other] = [before.positions[owner], now.positions[owner]];
    return one.seq === other.seq && one.id === other.id;
  });
