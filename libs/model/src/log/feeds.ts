import type { Step } from '../explore.ts';
import { keep, latestOf, type Owner, type State, type World } from './state.ts';

/** Changes are appended to the feeds and committed, and old ones that the log has are purged. */
export const feedSteps = (state: State, world: World, step: Step<State>): void => {
  state.owners.forEach(({ pending, purged }, index) => {
    const name = `owner ${index + 1}`;
    if (pending) step(`${name} commits ${pending}`, (draft) => commit(draft, world, index));
    else if (state.clock < world.changes && index < world.writers)
      step(`${name} notes ${state.clock + 1}`, (draft) => {
        const owner = draft.owners[index] as Owner;
        draft.clock += 1;
        owner.pending = draft.clock;
        // One number holds the owner and the previous change.
        draft.parents.push(latestOf(owner) * 2 + index);
        if (!world.twoPhase) commit(draft, world, index);
      });
    const taken = state.log.positions[index]?.seq ?? 0;
    if (world.purges && purged < taken)
      step(`${name} purges ${taken} changes`, (draft) => {
        (draft.owners[index] as Owner).purged = taken;
      });
  });
};

const commit = (state: State, world: World, index: number): void => {
  keep(state, world);
  const owner = state.owners[index] as Owner;
  owner.feed.push(owner.pending);
  owner.pending = 0;
};
