import type { Model } from '../explore.ts';
import { defaultSteps } from './default.ts';
import { importingSteps } from './importing.ts';
import type { Mutant } from './mutants.ts';
import { openingSteps } from './opening.ts';
import { rollbackSteps } from './rollbacks.ts';
import { beginning, highestOf, initialState, numberOf, phase, type State, type World } from './state.ts';

export const adoptionModel = (world: World, mutant: Mutant = 'none'): Model<State> => ({
  initial: initialState(world),
  steps: (state, step) => {
    if (state.rollbacks === world.rollbacks && isFinished(state, world)) return;
    importingSteps(state, world, mutant, step);
    openingSteps(state, world, mutant, step);
    if (world.isDefault) defaultSteps(state, mutant, step);
    rollbackSteps(state, world, mutant, step);
  },
  normalize: (state) => forgetLate(state, world),
  broken: (state) => brokenIn(state, world),
  finished: (state) => isFinished(state, world),
});

const isFinished = (state: State, world: World): boolean => {
  const { imports, card, identifier, opened, archived, issues, begins, openings } = state;
  const isDone =
    imports.every((one) => one.phase === phase.answered) && card.issued.every((one) => identifier.ledger.includes(one));
  // The first number of the default workstream was requested, or it is opened.
  const isOpen = world.isDefault ? begins >= beginning.adopts && opened === openings : opened === Number(world.opens);
  return isDone && (archived === 1 || (!world.archives && isOpen && issues === world.issues));
};

/** Drops messages without effect: epochs and the lines of databases only rise. */
const forgetLate = (state: State, { rollbacks }: World): void => {
  const { card, identifier, epoch } = state;
  const isOpen = !identifier.adopting && state.rollbacks === rollbacks;
  state.messages = state.messages.filter((message) => {
    const [what, ...numbers] = message.split(' ');
    const [first = 0, , , highest = 0, through = 0] = numbers.map(Number);
    if (what === 'opened') return !isOpen;
    if (what === 'closed') return identifier.closing === 1;
    if (first < epoch || card.line !== state.known || card.epoch < epoch) return first >= epoch;
    return card.adopting === 1 || through > card.through || highest > card.last;
  });
};

const brokenIn = ({ wrong, answered, card, identifier, rollbacks }: State, { next, imports }: World): string[] => {
  const found = [...wrong];
  const twice = (bindings: readonly string[]) => new Set(bindings.map(numberOf)).size < bindings.length;
  if (twice(answered) || twice(card.issued) || twice(identifier.ledger)) found.push('one identifier, two cards');
  if (rollbacks > 0) return found;
  const known = [...card.issued, ...identifier.ledger];
  if (answered.some((one) => !known.includes(one))) found.push('an answered identifier is lost');
  const adopted = new Set(imports.flat());
  const issued = answered.filter((one) => !adopted.has(one)).map(numberOf);
  const first = Math.max(next, 1 + highestOf(known.filter((one) => adopted.has(one))));
  if (issued.sort((a, b) => a - b).some((number, at) => number !== first + at)) found.push('a gap');
  return found;
};
