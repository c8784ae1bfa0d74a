/** Rules that can be broken, and the fault then. */
export const mutants = {
  unlockedPull: 'a pull reports that it is complete up to now while a writer is open',
  noHorizon: 'changes of one feed are appended although another feed was pulled before it',
  rowNotCompared: 'a round is appended although another instance was faster',
  noMark: 'the register is not asked for numbers: a reset takes the next one',
  markAfter: 'the mark is raised after the numbers were given',
  noWitness: 'the database of the log is not compared with its witness',
  ownersTrusted: 'the log continues under its old numbers whether or not owners were rolled back with it',
  doubtForgotten: 'an owner with another database is the witness at once, and no epoch begins',
  pullNotCompared:
    'changes that are pulled while the log is filled again may be of another database than the one that was checked',
  epochOfPlan: 'a log is admitted to an epoch that began after its feeds were pulled',
  admittedEarly: 'a log counts as filled again before everything is in it',
  noChain: 'ids of feed and log are not compared',
  baseNotWritten: 'the register does not know from where the numbers count since the last reset',
  baseNotRead: 'a log that is filled again does not ask for the base',
  baseNotAdopted: 'numbers continue above a base that another instance announced',
  notCounted: 'numbers continue where they were although a feed was purged beyond that',
} as const;

export type Mutant = keyof typeof mutants | 'none';
