/** Rules of adoption that can be broken, and the fault then. */
export const mutants = {
  adoptWhileOpen: 'an adoption does not check the flag in the card database again, in its own transaction',
  openUnasked: 'an opening is answered before the card service closed the flag',
  lateFlag: 'a late event sets the closed flag again',
  grantWhileAdopting: 'numbers are granted while the workstream adopts',
  counterBehind: 'the counter stays below the highest adopted number',
  counterOfCards: 'the counter is set to the highest number of the cards that are there, and one was deleted',
  counterOfMark: 'numbers continue above the mark of the register though nothing was rolled back',
  purgeWhileAdopting: 'rows of `issued` are purged while their workstream adopts',
  ledgerUnasked: 'the ledger is not asked before an adoption',
  answerUnrecorded: 'an adoption is answered before the ledger has it',
  markUnraised: "the mark is not raised before an adoption to the batch's highest number",
  rowUnraised: "the mark is raised, and the workstream's row in the identifier database is not",
  epochUncompared: 'an adoption that asked in one epoch is committed in the next',
  grantUnmarked: 'the mark of a grant does not say that the workstream adopts no more',
  markNotReturned: 'a database that was rolled back does not learn that the workstream adopts no more',
  aboveForgotten: 'an opening begins the epoch of the range, and not above what was adopted in earlier ones',
  flagRefuses: 'a create is refused because of the flag in the card database, and the identifier service is not asked',
  archiveUnseen: 'an adoption does not see that the range was closed',
  firstUnnoted: 'a grant does not note in the row of the default workstream that its first number was asked for',
  noteUnseen: 'the default workstream begins to adopt without a look at that note',
  beginUnmarked: 'the default workstream begins to adopt without asking the register',
  beginElsewhere:
    'the default workstream begins to adopt in a database that was rolled back since the register was asked',
  defaultForgotten: 'a database that was rolled back does not learn that the default workstream adopts',
  remadeOtherwise: 'a prefix that issued numbers and was lost in a rollback may be made again as adopting',
} as const;

export type Mutant = keyof typeof mutants | 'none';
