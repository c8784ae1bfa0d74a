import type { Step } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import { beginning, type CardDatabase, type IdentifierDatabase, type State, type World } from './state.ts';

/** Backups are taken and restored, and the register is lost while both databases are unchanged. */
export const rollbackSteps = (state: State, world: World, mutant: Mutant, step: Step<State>): void => {
  const { rollingBack, together } = world;
  const canRollBack = state.rollbacks < world.rollbacks;
  const cards = rollingBack.includes('cards');
  const identifiers = rollingBack.includes('identifiers');
  if (canRollBack && !state.cardBackup && cards)
    step('a backup of the cards', (draft) => {
      keepCard(draft);
      if (together) keepIdentifier(draft);
    });
  if (canRollBack && !state.identifierBackup && identifiers && !together)
    step('a backup of the identifiers', keepIdentifier);
  if (canRollBack && state.cardBackup && !together)
    step('the cards are rolled back', (draft) => rollback(draft, true, false));
  if (canRollBack && state.identifierBackup && !together)
    step('the identifiers are rolled back', (draft) => rollback(draft, false, true));
  if (canRollBack && state.cardBackup && state.identifierBackup)
    step('both are rolled back', (draft) => rollback(draft, true, true));
  // The first process that meets the restored database begins an epoch.
  if (state.known !== state.card.line)
    step('the card service meets its database', (draft) => {
      draft.known = draft.card.line;
      draft.epoch += 1;
    });
  if (!isReturned(state, mutant))
    step('the mark goes into the rolled back database', (draft) => returnMark(draft, mutant));
  // A running process writes it again before anything else, from the identifier database.
  if (state.wipes < world.wipes && state.known === state.card.line && isReturned(state, mutant))
    step('the register is lost, and written again', (draft) => {
      const { made, adopting, through, base, epoch } = draft.identifier;
      draft.wipes += 1;
      draft.mark = { known: made, adopting, through, base, epoch };
    });
};

const keepCard = (draft: State): void => {
  draft.cardBackup = JSON.stringify(draft.card);
};
const keepIdentifier = (draft: State): void => {
  draft.identifierBackup = JSON.stringify(draft.identifier);
};

const rollback = (draft: State, cards: boolean, identifiers: boolean): void => {
  draft.rollbacks += 1;
  draft.lines += 1;
  if (cards) draft.card = { ...(JSON.parse(draft.cardBackup) as CardDatabase), line: draft.lines };
  if (identifiers)
    draft.identifier = { ...(JSON.parse(draft.identifierBackup) as IdentifierDatabase), line: draft.lines };
  Object.assign(draft, { cardBackup: '', identifierBackup: '' });
};

/** Whether the identifier database knows what the register does. */
export const isReturned = ({ identifier, mark, rollbacks }: State, mutant: Mutant): boolean =>
  rollbacks === 0 ||
  !identifier.made ||
  (identifier.through >= mark.through &&
    identifier.epoch >= mark.epoch &&
    (identifier.adopting <= mark.adopting || mutant === 'markNotReturned'));

/** Reads the mark into the database. A workstream with issued numbers is open, whatever the database remembers. */
const returnMark = ({ identifier, mark, begins }: State, mutant: Mutant): void => {
  const isPlain = !identifier.adopting && !identifier.asked && identifier.through <= identifier.base;
  const adopts = begins !== beginning.idle && mark.adopting && isPlain && mark.through > identifier.through;
  if (adopts && mutant !== 'defaultForgotten') identifier.adopting = 1;
  identifier.through = Math.max(identifier.through, mark.through);
  if (mark.epoch > identifier.epoch) Object.assign(identifier, { epoch: mark.epoch, base: mark.base });
  if (!mark.adopting && mutant !== 'markNotReturned') Object.assign(identifier, { adopting: 0, opening: 0 });
};
