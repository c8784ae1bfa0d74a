import type { Model } from '../explore.ts';
import { feedSteps } from './feeds.ts';
import { followerSteps } from './following.ts';
import { meetingSteps } from './meeting.ts';
import type { Mutant } from './mutants.ts';
import { roundSteps } from './rounds.ts';
import { initialState, latestOf, resetBase, type State, type World } from './state.ts';
import { troubleSteps } from './trouble.ts';

export const logModel = (world: World, mutant: Mutant = 'none'): Model<State> => ({
  initial: initialState(world),
  steps: (state, step) => {
    // Mutants may give numbers without end.
    if (state.log.events.length > 40) return;
    feedSteps(state, world, step);
    meetingSteps(state, mutant, step);
    roundSteps(state, world, mutant, step);
    if (world.follows) followerSteps(state, step);
    troubleSteps(state, world, step);
  },
  normalize: (state) => {
    if (state.instances.length > 1)
      state.instances.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  },
  broken,
  finished: ({ clock, owners, follower, log }) =>
    clock === world.changes &&
    owners.every(
      (owner, at) =>
        !owner.pending &&
        (world.follows ? follower.heads[at] === latestOf(owner) : log.positions[at]?.id === latestOf(owner)),
    ),
});

const broken = ({
  log: { events },
  rollbacks,
  ownerRollbacks,
  twice,
  renumbered,
  contradicted,
  missed,
}: State): string[] => {
  const isDense = events.every((event, at) => event > 0 && (at === 0 || event > (events[at - 1] as number)));
  return [
    ...(twice ? ['one number, two events'] : []),
    ...(rollbacks === 0 && !isDense ? ['a gap, or out of order, although nothing was rolled back'] : []),
    ...(ownerRollbacks === 0 && events.some((event) => event > resetBase)
      ? ['a reset although no owner was rolled back']
      : []),
    ...(renumbered ? ['another number although only the log was rolled back'] : []),
    ...(contradicted ? ['a change that contradicts what was read'] : []),
    ...(missed ? ['a change was missed'] : []),
  ];
};
