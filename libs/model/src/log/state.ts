/**
 * One workspace: the feeds of two owners, its log, the register outside of all of them, the instances that fill the log,
 * and somebody who follows it. A change is a number, which is also its id and the moment when it was noted. 0 stands for
 * "none" everywhere.
 */

export type Owner = {
  /** Stands for the identity of its database, and the start of its server. */
  line: number;
  feed: number[];
  /** How many of them are not kept any more. */
  purged: number;
  /** Appended under the lock of the feed, and not committed. */
  pending: number;
};

/** The last change of a feed that the log has. */
export type Position = { seq: number; id: number };

/** From where numbers are a function of the feeds: the number of the reset, the reset, and the positions. */
export type Base = { seq: number; reset: number; positions: Position[] };

/** The row of the workspace, and its events by number: changes, resets, or 0 for a number that is nothing. */
export type Log = {
  epoch: number;
  through: number;
  base: Base;
  positions: Position[];
  /** The first number that is kept. */
  oldest: number;
  events: number[];
};

/** Of the register's key `log`: the epoch, those since which the log, or an owner, may be an earlier one, the owners' lines. */
export type Epochs = { epoch: number; rolledBack: number; doubted: number; owners: number[] };

/** What the keys `log` and `log.<workspace>` say. */
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
  /** What was known when the round began, and the log as it found it; none or one. */
  since: Epochs[];
  row: Log[];
  pulled: Pulled[];
  /** The log as it is to be; none or one. */
  planned: Log[];
};

/** How far somebody read the log, and the last change known of each feed; `anew` where it was not heard but read. */
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
  /** The change before each change in its feed. */
  parents: number[];
  resets: number;
  /** What each number was when it could be read first. */
  told: number[];
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

/** What may happen, and how much of it. */
export interface World {
  instances: number;
  /** Owners in which something changes. */
  writers: number;
  /** Changes that are committed in all. */
  changes: number;
  /** Writers append and commit in two steps. */
  twoPhase: boolean;
  /** An owner alone, the log alone, all on one server, or the log as a whole. */
  rollingBack: readonly RollingBack[];
  rollbacks: number;
  /** They are rolled back in this order, one after another. */
  inOrder: boolean;
  /** A round reads the log and pulls both feeds in one step. */
  atOnce: boolean;
  /** Somebody reads the log; without, only what numbers name is looked at. */
  follows: boolean;
  /** How far a mark is raised above what has need of it. */
  block: number;
  /** A round appends one change at most. */
  cut: boolean;
  purges: boolean;
  crashes: boolean;
}

/** Resets are told from changes by being above it. */
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
    told: [],
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

/** Called before each commit: what is there may be what everything is rolled back to. */
export const keep = (state: State, { rollbacks, rollingBack }: World): void => {
  if (state.rollbacks >= rollbacks || rollingBack.every((one) => one === 'owner' || one === 'schema')) return;
  const { log, owners } = state;
  const text = JSON.stringify({ log, feeds: owners.map(({ feed }) => feed) });
  if (!state.earlier.includes(text)) state.earlier.push(text);
  state.earlier.sort();
};
