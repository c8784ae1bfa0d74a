import type { Model } from '../explore.ts';
import { meetingSteps } from './meeting.ts';
import type { Mutant } from './mutants.ts';
import { numberSteps } from './numbers.ts';
import { grantSize, initialState, margin, type Process, type State, type World, wordsOf } from './state.ts';
import { troubleSteps } from './trouble.ts';

export const lineageModel = (world: World, mutant: Mutant = 'none'): Model<State> => ({
  initial: initialState(world),
  steps: (state, step) => {
    // Everything was issued: no further violation is possible.
    if (state.issued.length === world.issues) return;
    meetingSteps(state, world, mutant, step);
    numberSteps(state, world, mutant, step);
    troubleSteps(state, world, step);
  },
  normalize: (state) => {
    forgetLate(state);
    if (world.wipes + world.losses === 0)
      for (const process of [...state.issuers, ...state.granters]) forgetUnmet(process);
    state.issuers.sort((a, b) => rankOf(a) - rankOf(b));
  },
  broken,
  finished: ({ issued }) => issued.length === world.issues,
});

/** A process's memory matters before its next meeting only where the register may be lost. */
const forgetUnmet = (process: Process): void => {
  if (!process.met && !process.compared) Object.assign(process, { line: 0, tick: 0, epoch: 0 });
};

/** Two processes that change places are equivalent. */
const rankOf = ({ at, met, compared, line, tick, epoch, read }: Process): number =>
  [at, met, compared, line, tick, epoch, ...read].reduce((rank, value) => rank * 8 + value, 1);

/** Drops messages without effect: epochs and the lines of databases only rise. */
const forgetLate = (state: State): void => {
  const { lineage, mark, issuers, identifiers } = state;
  const oldest = Math.min(lineage.epoch, ...issuers.filter(({ met }) => met).map(({ epoch }) => epoch));
  state.messages = state.messages.filter((message) => {
    const [what, first = 0, second = 0] = wordsOf(message);
    if (what === 'ask') return first >= mark.epoch && first >= oldest;
    if (what === 'granted' || what === 'close') return first >= oldest;
    if (what === 'commit' || what === 'try')
      return identifiers.some(({ line, epoch }) => line === first && second >= epoch);
    return what !== 'insert' || identifiers.some(({ line, made }) => line === first && !made);
  });
};

const broken = ({ issued, rollbacks, losses, epochs, afterArchive, twoWorkstreams }: State): string[] => {
  const different = new Set(issued).size;
  const skipped = (issued.at(-1) ?? 0) - different;
  return [
    ...(different < issued.length ? ['one number, two cards'] : []),
    ...(skipped > 0 && rollbacks + losses === 0 ? ['a gap although nothing was rolled back'] : []),
    ...(skipped > grantSize * (epochs - 1) && rollbacks > 0 && losses === 0 ? ['a gap of more than a grant'] : []),
    ...(losses > 0 && skipped > grantSize * (epochs - 1) + margin * losses * (losses + 1)
      ? ['a gap of more than the margins']
      : []),
    ...(afterArchive > 0 ? ['issued after the archive was answered'] : []),
    // Where the register is lost and the databases are of different times, the unique prefix in the card database
    // refuses it.
    ...(twoWorkstreams > 0 && losses === 0 ? ['one prefix, two workstreams'] : []),
  ];
};
