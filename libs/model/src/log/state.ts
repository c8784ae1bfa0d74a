/**
 * One workspace: the feeds of two owners, its log, the register outside of all of them, the instances that fill the
 * log, and a follower. A change is a number, which is also its id and its time. 0 stands for "none" everywhere.
 */

export type Owner = {
  /** Stands for the identity of its database, and the start of its server. */
  line: number;
  feed: number[];
  /** The number of purged changes. */
  purged: number;
  /** Appended under the lock of the feed, and not committed. */
  pending: number;
};

/** The last change of a feed that the log has. */
export type Position = { seq: number; id: number };

/** The point from which numbers are a function of the feeds: the number of the reset, the reset, and the positions. */
export type Base = { seq: number; reset: number; positions: Position[] };

/** The row of the workspace, and its events by number: changes, resets, or 0 for an unused number. */
export type Log = {
  epoch: number;
  through: number;
  base: Base;
  positions: Position[];
  /** The first number that was not purged. */
  oldest: number;
  events: number[];
};

/**
 * The register's key `log`: the epoch, the latest epochs in which the log or an owner may have been rolled back, the
 * owners' lines.
 */
export type Epochs = { epoch: number; rolledBack: number; doubted: number; owners: number[] };

/** The keys `log` and `log.<workspace>`. */
type Register = {
  epochs: Epochs;
  line: number;
  through: number;
  base: Base;
};

export type Pulled = { line: number; feed: number[]; purged: number; completeTo: number };

/** An instance: what it knows of the register, and its round. */
export type Instance = {
  met: number;
  known: Epochs;
  /** What was known at the beginning of the round, and the log at that time; none or one. */
  since: Epochs[];
  row: Log[];
  pulled: Pulled[];
  /** The log that the round will write; none or one. */
  planned: Log[];
};

/**
 * The follower's position in the log, and the last change that it knows of each feed; `anew` where it read the
 * resources instead.
 */
type Follower = { at: number; heads: number[]; anew: number[] };

export type State = {
  owners: Owner[];
  line: number;
  log: Log;
  register: Register;
  instances: Instance[];
  /** Earlier states of the log and the feeds together. */
  earlier: string[];
  clock: number;
  /** The previous change of each change in its feed. */
  parents: number[];
  resets: number;
  /** The first event of each number that could be read. */
  shown: number[];
  follower: Follower;
  rollbacks: number;
  ownerRollbacks: number;
  lines: number;
  twice: number;
  renumbered: number;
  contradicted: number;
  missed: number;
};

type RollingBack = 'owner' | 'log' | 'server' | 'schema';

/** The possible events and their limits. */
export interface World {
  instances: number;
  /** Owners in which something changes. */
  writers: number;
  /** Changes that are committed in all. */
  changes: number;
  /** Writers append and commit in two steps. */
  twoPhase: boolean;
  /** An owner alone, the log alone, everything on one server, or the log as a whole. */
  rollingBack: readonly RollingBack[];
  rollbacks: number;
  /** They are rolled back in this order, one after another. */
  inOrder: boolean;
  /** A round reads the log and pulls both feeds in one step. */
  atOnce: boolean;
  /** There is a follower; without one, only the meaning of numbers is checked. */
  follows: boolean;
  /** How far a mark is raised above the number that needs it. */
  block: number;
  /** A round appends one change at most. */
  cut: boolean;
  purges: boolean;
  crashes: boolean;
}

/** Resets have numbers above it, changes below. */
export const resetBase = 50;

const none: Position[] = [
  { seq: 0, id: 0 },
  { seq: 0, id: 0 },
];
const noBase: Base = { seq: 0, reset: 0, positions: none };
export const emptyLog: Log = { epoch: 0, through: 0, base: noBase, positions: none, oldest: 1, events: [] };

export const initialState = (world: World): State => {
  const owner: Owner = { line: 1, feed: [], purged: 0, pending: 0 };
  const epochs: Epochs = { epoch: 1, rolledBack: 0, doubted: 0, owners: [1, 1] };
  const instance: Instance = { met: 1, known: epochs, since: [], row: [], pulled: [], planned: [] };
  return {
    owners: [owner, owner],
    line: 1,
    log: { ...emptyLog, epoch: 1 },
    register: { epochs, line: 1, through: 0, base: noBase },
    instances: Array.from({ length: world.instances }, () => instance),
    earlier: [],
    clock: 0,
    parents: [],
    resets: 0,
    shown: [],
    follower: { at: 0, heads: [0, 0], anew: [0, 0] },
    rollbacks: 0,
    ownerRollbacks: 0,
    lines: 1,
    twice: 0,
    renumbered: 0,
    contradicted: 0,
    missed: 0,
  };
};

export const latestOf = ({ feed }: Owner): number => feed.at(-1) ?? 0;

/** Called before each commit: the present state may be what everything is rolled back to. */
export const keep = (state: State, { rollbacks, rollingBack }: World): void => {
  if (state.rollbacks >= rollbacks || rollingBack.every((one) => one === 'owner' || one === 'schema')) return;
  const { log, owners } = state;
  const text = JSON.stringify({ log, feeds: owners.map(({ feed }) => feed) });
  if (!state.earlier.includes(text)) state.earlier.push(text);
  state.earlier.sort();
};
