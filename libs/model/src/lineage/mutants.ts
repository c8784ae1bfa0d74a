/** Rules that can be broken, and the fault then. */
export const mutants = {
  noMark: 'grants begin where the database says, and the register is not asked',
  markAfter: 'the mark is raised after the grant was committed',
  markWithoutEpoch: 'the epoch is compared before the mark is raised, and the mark does not know it',
  markWithoutBase: 'a grant that is tried again in its epoch begins above the mark that it raised before',
  noEpoch: 'a range of an earlier epoch still counts',
  keepCounter: 'the counter stays below the base of the epoch',
  grantWithoutMeeting: 'a grant is applied by a process that did not meet its database in that epoch',
  closeWithoutMeeting: 'a range is closed by a process that met its database in an earlier epoch',
  noWitness: 'databases are not compared with their witness',
  epochNotKept: 'the database does not keep the epoch that was met in it',
  witnessFirst: 'the witness rises before the tick in the database',
  metBeforeTick: 'numbers are issued before the tick rose that follows the comparison with the witness',
  marksNotReturned: 'the marks are not written into a database that forgot them',
  wipedForgotten: 'a register that was lost gets its witnesses again, but not its marks',
  freshIdForOldPrefix: 'a prefix whose workstream was lost gets a workstream of another id',
  trustWithoutWitness: 'a database that issued numbers is trusted where the register has no witness of it',
  marginOfNew: 'a workstream that is made after a loss begins at 1: its prefix may have been in use',
  newBeginsAlike: 'after each loss new workstreams begin at the same number',
  grantUnmet: 'a grant is answered before the database was met, and the register lacks the mark',
  grantInOldEpoch: 'numbers are granted in an epoch that is over for the granting process',
  cardNotSetOn: 'the counter is set on where numbers are granted, and not beside the cards too',
  beginsInMark: 'where a new workstream begins stands in its mark alone, which the next loss takes away',
  remadeFromZero: 'a prefix whose workstream was lost gets a new mark',
} as const;

export type Mutant = keyof typeof mutants | 'none';
