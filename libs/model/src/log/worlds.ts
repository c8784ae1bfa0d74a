import type { Mutant } from './mutants.ts';
import type { World } from './state.ts';

const small: World = {
  instances: 1,
  writers: 2,
  changes: 3,
  twoPhase: false,
  rollingBack: [],
  rollbacks: 1,
  inOrder: false,
  cut: false,
  atOnce: false,
  follows: true,
  block: 1,
  purges: false,
  crashes: false,
};

interface Explored {
  world: World;
  /** Mutants with a fault in this world. */
  mutants: readonly Mutant[];
  /** More instances, changes or rollbacks: minutes. */
  wide: Partial<World>;
}

/** Kinds of trouble, one at a time: together they have too many states. */
export const worlds = {
  /** No rollback; writers and instances are in the middle of their work. */
  order: {
    world: { ...small, instances: 2, changes: 2, twoPhase: true, rollbacks: 0, crashes: true },
    mutants: ['unlockedPull', 'noHorizon', 'rowNotCompared'],
    wide: { changes: 3, cut: true },
  },
  /** The database of one owner is another or an earlier one. */
  'an owner rolled back': {
    world: { ...small, writers: 1, rollingBack: ['owner'] },
    mutants: ['noChain'],
    wide: { writers: 2, instances: 2, crashes: true },
  },
  /** The log is restored or recreated, and the owners are not. */
  'the log rolled back': {
    world: { ...small, rollingBack: ['log', 'schema'], cut: true },
    mutants: [],
    wide: { instances: 2, crashes: true },
  },
  /** The log is restored or recreated, and a part of what it lacks is purged. */
  purged: {
    world: { ...small, changes: 2, rollingBack: ['log', 'schema'], purges: true },
    mutants: ['notCounted'],
    wide: { instances: 2, changes: 4 },
  },
  /** Everything is on one server, which is restored or replaced by its standby. */
  'a server rolled back': {
    world: { ...small, changes: 2, rollingBack: ['server'] },
    mutants: ['noMark', 'markAfter', 'noWitness', 'ownersTrusted'],
    wide: { changes: 3, instances: 2, crashes: true },
  },
  /** First one, then another. */
  'two rollbacks': {
    world: { ...small, writers: 1, changes: 2, rollingBack: ['owner', 'log'], rollbacks: 2 },
    mutants: ['doubtForgotten', 'pullNotCompared', 'epochOfPlan', 'baseNotWritten', 'baseNotRead'],
    wide: { writers: 2, changes: 3, cut: true },
  },
  /** An owner is rolled back while the log is being filled again. */
  'filled again': {
    world: { ...small, writers: 1, rollingBack: ['owner', 'log'], rollbacks: 2, cut: true, follows: false },
    mutants: ['admittedEarly'],
    wide: { follows: true, writers: 2 },
  },
  /** Two instances detect the rollback of an owner, and then the log is rolled back. */
  'two instances': {
    world: {
      ...small,
      instances: 2,
      writers: 1,
      changes: 2,
      rollingBack: ['owner', 'schema'],
      rollbacks: 2,
      inOrder: true,
      atOnce: true,
      follows: false,
      block: 0,
    },
    mutants: ['baseNotAdopted'],
    wide: { inOrder: false, follows: true, block: 1 },
  },
} as const satisfies Record<string, Explored>;
