import { type Step, send } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import { grantOf } from './opening.ts';
import { isReturned } from './rollbacks.ts';
import { beginning, granting, isMet, type State } from './state.ts';

/**
 * The default workstream, which exists before it may adopt. The request that makes it adopt and a grant run step by
 * step here, as one may come between the steps of the other: read the row, write the register, write the row.
 */
export const defaultSteps = (state: State, mutant: Mutant, step: Step<State>): void => {
  if (state.begins === beginning.idle) step('somebody asks that it adopts', (draft) => mark(draft, mutant));
  if (state.begins === beginning.marked) {
    step('it begins to adopt', (draft) => begin(draft, mutant));
    step('the process dies that was asked', (draft) => {
      Object.assign(draft, { begins: beginning.idle, beganOn: 0 });
    });
  }
  if (state.grants === granting.idle && isMet(state) && isReturned(state, mutant) && needsRoom(state))
    step('a create asks', (draft) => look(draft, mutant));
  if (state.grants === granting.looked) step('a grant raises the mark', (draft) => raise(draft, mutant));
  if (state.grants === granting.marked) step('a grant is written', write);
};

const needsRoom = ({ card, epoch }: State): boolean =>
  !card.closed && (card.adopting === 1 || card.epoch < epoch || card.last >= card.through);

/** Whether a number was requested or granted, by the row. */
const wasAsked = ({ identifier: { asked, through, base } }: State, mutant: Mutant): boolean =>
  (asked === 1 && mutant !== 'noteUnseen') || through > base;

const mark = (draft: State, mutant: Mutant): void => {
  const { identifier, mark } = draft;
  draft.begins = beginning.refused;
  if (identifier.adopting || wasAsked(draft, mutant)) return;
  if (mutant !== 'beginUnmarked') {
    if (!mark.adopting && mark.through > mark.base) return;
    mark.adopting = 1;
  }
  Object.assign(draft, { begins: beginning.marked, beganOn: identifier.line });
};

/**
 * The transaction of the row, with the answer. It has no effect on another database than the one before the register
 * was read.
 */
const begin = (draft: State, mutant: Mutant): void => {
  const isSame = draft.beganOn === draft.identifier.line || mutant === 'beginElsewhere';
  draft.begins = isSame ? beginning.refused : beginning.idle;
  draft.beganOn = 0;
  if (!isSame) return;
  if (draft.identifier.adopting || wasAsked(draft, mutant)) return;
  if (draft.issues > 0) draft.wrong = ['adopts though a number was issued'];
  draft.identifier.adopting = 1;
  draft.begins = beginning.adopts;
};

/** Notes in the row that a number is requested, unless it adopts. */
const look = (draft: State, mutant: Mutant): unknown => {
  const { identifier, mark } = draft;
  if (identifier.opening) return false;
  if (identifier.adopting) {
    // The register knows that it was opened, and the row does not.
    if (mark.adopting || mark.through === 0) return false;
    const { through, base, epoch } = mark;
    return Object.assign(identifier, { adopting: 0, through, base, epoch });
  }
  if (mutant !== 'firstUnnoted') identifier.asked = 1;
  Object.assign(draft, { grants: granting.looked, grantsOn: identifier.line });
  return true;
};

const raise = (draft: State, mutant: Mutant): void => {
  // As the row was when it was read, in the current database.
  const isSame = draft.grantsOn === draft.identifier.line;
  draft.grantsOn = 0;
  const granted = isSame && grantOf({ ...draft, identifier: { ...draft.identifier, adopting: 0, opening: 0 } }, mutant);
  Object.assign(draft, granted ? { mark: granted.mark, grants: granting.marked, granted: granted.message } : {});
  if (!granted) draft.grants = granting.idle;
};

/** A trigger keeps a range out of an adopting row. */
const write = (draft: State): void => {
  const { identifier, mark, granted } = draft;
  Object.assign(draft, { grants: granting.idle, granted: '' });
  if (identifier.adopting) return;
  const { through, base, epoch } = mark;
  Object.assign(identifier, { through, base, epoch });
  send(draft.messages, granted);
};
