import type { Mutant } from './mutants.ts';
import type { World } from './state.ts';

const small: World = {
  instances: 1,
  writers: 2,
  changes: 3,
  twoPhase: false,
  falling: [],
  falls: 1,
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
  /** Those whose fault shows here. */
  mutants: readonly Mutant[];
  /** With more instances, changes or falls: minutes. */
  wide: Partial<World>;
}

/** Kinds of trouble, apart from each other: together they have more states than anybody waits for. */
export const worlds = {
  /** Nothing falls; writers and instances are in the middle of their work. */
  order: {
    world: { ...small, instances: 2, changes: 2, twoPhase: true, falls: 0, crashes: true },
    mutants: ['unlockedPull', 'noHorizon', 'rowNotCompared'],
    wide: { changes: 3, cut: true },
  },
  /** One owner is another or an earlier one. */
  'an owner falls': {
    world: { ...small, writers: 1, falling: ['owner'] },
    mutants: ['noChain'],
    wide: { writers: 2, instances: 2, crashes: true },
  },
  /** The log is restored, or made anew, and the owners are not. */
  'the log falls': {
    world: { ...small, falling: ['log', 'schema'], cut: true },
    mutants: [],
    wide: { instances: 2, crashes: true },
  },
  /** The log is restored or made anew, and what it lacks is partly purged. */
  purged: {
    world: { ...small, changes: 2, falling: ['log', 'schema'], purges: true },
    mutants: ['notCounted'],
    wide: { instances: 2, changes: 4 },
  },
  /** Everything is on one server, which is restored or replaced by its standby. */
  'a server falls': {
    world: { ...small, changes: 2, falling: ['server'] },
    mutants: ['noMark', 'markAfter', 'noWitness', 'ownersTrusted'],
    wide: { changes: 3, instances: 2, crashes: true },
  },
  /** First one, and then another. */
  'two falls': {
    world: { ...small, writers: 1, changes: 2, falling: ['owner', 'log'], falls: 2 },
    mutants: ['doubtForgotten', 'pullNotCompared', 'epochOfPlan', 'baseNotWritten', 'baseNotRead'],
    wide: { writers: 2, changes: 3, cut: true },
  },
  /** An owner falls back while the log is being filled again. */
  'filled again': {
    world: { ...small, writers: 1, falling: ['owner', 'log'], falls: 2, cut: true, follows: false },
    mutants: ['admittedEarly'],
    wide: { follows: true, writers: 2 },
  },
  /** Two instances find out that an owner fell back, and then the log does. */
  'two instances': {
    world: {
      ...{ ...small, instances: 2, writers: 1, changes: 2, falling: ['owner', 'schema'], falls: 2 },
      ...{ inOrder: true, atOnce: true, follows: false, block: 0 },
    },
    mutants: ['baseNotAdopted'],
    wide: { inOrder: false, follows: true, block: 1 },
  },
} as const satisfies Record<string, Explored>;
