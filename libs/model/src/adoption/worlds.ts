import type { Mutant } from './mutants.ts';
import type { World } from './state.ts';

const small: World = {
  imports: [['1 a']],
  issues: 1,
  next: 0,
  opens: true,
  archives: false,
  deletes: false,
  remade: false,
  isDefault: false,
  rollingBack: [],
  rollbacks: 0,
  together: false,
  wipes: 0,
};

interface Explored {
  world: World;
  /** Mutants with a fault in this world. */
  mutants: readonly Mutant[];
  /** More of everything: a minute. */
  wide: Partial<World>;
}

/** Kinds of trouble, one at a time, as in `lineage/worlds.ts`. */
export const worlds = {
  /** Two importers with the same number for different cards, and a card that is deleted. */
  importers: {
    world: { ...small, imports: [['2 a'], ['2 b']], deletes: true },
    mutants: [
      'adoptWhileOpen',
      'openUnasked',
      'lateFlag',
      'grantWhileAdopting',
      'counterBehind',
      'counterOfCards',
      'counterOfMark',
      'purgeWhileAdopting',
    ],
    wide: { imports: [['1 a', '3 b'], ['3 c']], issues: 2, next: 5 },
  },
  /** An archive instead of an opening, or at the same time. */
  archive: {
    world: { ...small, imports: [['1 a']], archives: true },
    mutants: ['archiveUnseen'],
    wide: { imports: [['1 a'], ['2 b']] },
  },
  /** The card database is rolled back alone, and another row has the number that it forgot. */
  'another row': {
    world: { ...small, imports: [['1 a'], ['1 b']], opens: false, issues: 0, rollingBack: ['cards'], rollbacks: 1 },
    mutants: ['ledgerUnasked', 'answerUnrecorded'],
    wide: { opens: true, issues: 1 },
  },
  /** The card database is rolled back alone, and forgets that the workstream was opened. */
  'cards rolled back': {
    world: { ...small, imports: [['1 a']], rollingBack: ['cards'], rollbacks: 1 },
    mutants: ['epochUncompared', 'flagRefuses'],
    wide: { issues: 2, next: 5 },
  },
  /** The identifier database is rolled back alone. */
  'identifiers rolled back': {
    world: { ...small, imports: [['1 a']], rollingBack: ['identifiers'], rollbacks: 1 },
    mutants: [],
    wide: { imports: [['1 a'], ['1 b']] },
  },
  /** Both are on one server and are rolled back together; the same rows come again. */
  'both rolled back': {
    world: { ...small, imports: [['1 a']], rollingBack: ['cards', 'identifiers'], rollbacks: 1, together: true },
    mutants: ['markUnraised', 'grantUnmarked', 'aboveForgotten'],
    wide: { rollbacks: 2 },
  },
  /** The register is lost, and later both databases are rolled back. */
  'lost register': {
    world: {
      ...small,
      imports: [['1 a']],
      rollingBack: ['cards', 'identifiers'],
      rollbacks: 1,
      together: true,
      wipes: 1,
    },
    mutants: ['rowUnraised', 'markNotReturned'],
    wide: { rollbacks: 2 },
  },
  /** The workstream was made after the backup, and its prefix is taken again. */
  'made again': {
    world: {
      ...small,
      remade: true,
      rollingBack: ['cards', 'identifiers'],
      rollbacks: 1,
      together: true,
      imports: [['1 a']],
    },
    mutants: ['remadeOtherwise'],
    wide: { together: false },
  },
  /** The default workstream: a request that it adopts, at the same time as the request for its first number. */
  default: {
    world: { ...small, isDefault: true, imports: [['1 a']] },
    mutants: ['firstUnnoted', 'noteUnseen'],
    wide: { issues: 2, next: 5, imports: [['1 a'], ['2 b']] },
  },
  /** The same, and the identifier database is rolled back: to before it adopted, or before its first number. */
  'default rolled back': {
    world: { ...small, isDefault: true, imports: [['1 a']], rollingBack: ['identifiers'], rollbacks: 1 },
    mutants: ['beginUnmarked', 'beginElsewhere', 'defaultForgotten'],
    wide: { rollingBack: ['cards', 'identifiers'], together: true },
  },
} as const satisfies Record<string, Explored>;
