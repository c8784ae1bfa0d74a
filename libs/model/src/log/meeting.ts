import { copy, type Step } from '../explore.ts';
import type { Mutant } from './mutants.ts';
import type { Instance, State } from './state.ts';

/** Instances recognize the databases of the log and of the owners. Another database begins an epoch. */
export const meetingSteps = (state: State, mutant: Mutant, step: Step<State>): void => {
  const { epochs, line } = state.register;
  const isRecognized = line === state.line || mutant === 'noWitness';
  state.instances.forEach(({ met, known }, index) => {
    const name = `instance ${index + 1}`;
    if (met !== state.line)
      step(`${name} meets the log`, (draft) => {
        if (!isRecognized) begin(draft, mutant, true);
        const own = draft.instances[index] as Instance;
        own.met = draft.line;
        own.known = copy(draft.register.epochs);
      });
    else if (isRecognized && (known.epoch < epochs.epoch || !areKnown(state)))
      step(`${name} looks`, (draft) => {
        if (!areKnown(draft)) begin(draft, mutant, false);
        (draft.instances[index] as Instance).known = copy(draft.register.epochs);
      });
  });
  if (epochs.doubted > epochs.rolledBack && state.log.epoch === epochs.epoch)
    step('the doubt is over', (draft) => {
      draft.register.epochs.doubted = epochs.rolledBack;
    });
};

/** One write of the register has all of it. */
const begin = (state: State, mutant: Mutant, isLogRolledBack: boolean): void => {
  const { epochs } = state.register;
  if (isLogRolledBack || mutant !== 'doubtForgotten') epochs.epoch += 1;
  if (isLogRolledBack) epochs.rolledBack = epochs.epoch;
  const isDoubted = !areKnown(state) && mutant !== 'ownersTrusted';
  if (isDoubted && (isLogRolledBack || mutant !== 'doubtForgotten')) epochs.doubted = epochs.epoch;
  epochs.owners = state.owners.map(({ line }) => line);
  state.register.line = state.line;
};

const areKnown = ({ owners, register: { epochs } }: State): boolean =>
  owners.every(({ line }, at) => line === epochs.owners[at]);
