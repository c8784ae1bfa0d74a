/** Rules that can be left out or broken, and what is wrong then. */
export const mutants = {
  unlockedPull: 'a pull says that it is complete to now while a writer is in the middle',
  noHorizon: 'what one feed said is appended although another feed was asked before it',
  rowNotCompared: 'a round is appended although another instance was faster',
  noMark: 'the register is not asked for numbers: a reset takes the next one',
  markAfter: 'the mark is raised after the numbers were given',
  noWitness: 'the database of the log is not compared with its witness',
  ownersTrusted: 'the log goes on under its old numbers whether or not owners were rolled back with it',
  doubtForgotten: 'an owner that was found to be another is the witness at once, and no epoch begins',
  pullNotCompared: 'what was pulled while the log fills itself again may be of another database than was looked at',
  epochOfPlan: 'a log is admitted to an epoch that began after its feeds were pulled',
  admittedEarly: 'a log counts as filled again before everything is in it',
  noChain: 'ids of feed and log are not compared',
  baseNotWritten: 'the register does not know from where the numbers count since the last reset',
  baseNotRead: 'a log that is filled again does not ask for the base',
  baseNotAdopted: 'numbers go on above a base that another instance announced',
  notCounted: 'numbers go on where they were although a feed was purged beyond that',
} as const;

export type Mutant = keyof typeof mutants | 'none';
