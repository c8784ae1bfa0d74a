import type { Mutant } from './mutants.ts';
import type { World } from './state.ts';

const small: World = {
  issuers: 1,
  granters: 1,
  rollingBack: ['cards', 'identifiers'],
  rollbacks: 1,
  earlier: 9,
  split: false,
  sameIdentity: false,
  wipes: 0,
  losses: 0,
  others: false,
  remade: false,
  archive: false,
  lateAsks: false,
  issues: 3,
  epochs: 4,
  ticks: 0,
};

interface Explored {
  world: World;
  /** Mutants with a fault in this world. */
  mutants: readonly Mutant[];
  /** More instances, epochs, numbers or earlier states: a minute. */
  wide: Partial<World>;
}

/** Kinds of trouble, one at a time: together they have too many states. */
export const worlds = {
  /** Either database, or both, are restored from a backup. */
  rollback: {
    world: { ...small, lateAsks: true },
    mutants: ['noMark', 'markAfter', 'markWithoutBase', 'noEpoch', 'keepCounter', 'noWitness'],
    wide: { issuers: 2, issues: 4 },
  },
  /** A standby is promoted, and the old primary still has clients. */
  'split brain': {
    world: { ...small, issuers: 2, granters: 0, split: true, earlier: 1, issues: 2, epochs: 2 },
    mutants: ['markWithoutEpoch', 'grantWithoutMeeting'],
    wide: { epochs: 3 },
  },
  /** A volume is set back: the database keeps its identity, and its tick is lower. */
  'set back': {
    world: {
      ...small,
      issuers: 2,
      granters: 0,
      rollingBack: ['cards'],
      sameIdentity: true,
      issues: 2,
      epochs: 2,
      ticks: 3,
    },
    mutants: ['epochNotKept', 'witnessFirst'],
    wide: { issues: 3 },
  },
  /** The same, twice, and the second time perhaps to the same state at once. */
  'set back twice': {
    world: {
      ...small,
      granters: 0,
      rollingBack: ['cards'],
      rollbacks: 2,
      earlier: 1,
      sameIdentity: true,
      issues: 2,
      epochs: 3,
      ticks: 3,
    },
    mutants: ['metBeforeTick'],
    wide: { earlier: 9, issues: 3, ticks: 4 },
  },
  /** The register is lost and the databases are not, before or after they are rolled back. */
  'lost register': {
    world: { ...small, earlier: 1, wipes: 1, issues: 2, epochs: 3 },
    mutants: ['marksNotReturned', 'wipedForgotten'],
    wide: { earlier: 9, issues: 3 },
  },
  /** A workstream was created after the state to which everything is rolled back, and its prefix is created again. */
  'made again': {
    world: { ...small, remade: true, issues: 2 },
    mutants: ['freshIdForOldPrefix', 'remadeFromZero'],
    wide: { lateAsks: true, issues: 4 },
  },
  /** Everything is restored into an empty stack, twice: the register is lost with the databases. */
  restored: {
    world: { ...small, rollbacks: 0, losses: 2, earlier: 2, issues: 3, epochs: 6 },
    mutants: ['trustWithoutWitness', 'grantUnmet', 'grantInOldEpoch', 'cardNotSetOn'],
    wide: { lateAsks: true },
  },
  /** The same, for a workstream that was created after the backup and is created again. */
  'restored, and made again': {
    world: { ...small, rollbacks: 0, losses: 2, earlier: 2, others: true, remade: true, issues: 3, epochs: 6 },
    mutants: ['marginOfNew', 'newBeginsAlike', 'beginsInMark'],
    wide: { lateAsks: true },
  },
  /** A workstream is archived while there are two primaries. */
  archive: {
    world: {
      ...small,
      issuers: 2,
      granters: 0,
      rollingBack: ['cards'],
      split: true,
      earlier: 1,
      archive: true,
      issues: 2,
      epochs: 2,
    },
    mutants: ['closeWithoutMeeting'],
    wide: { epochs: 3 },
  },
} as const satisfies Record<string, Explored>;
