import { copy, type Step } from '../explore.ts';
import { emptyLog, type Instance, type Log, type Owner, type State, type World } from './state.ts';

/** Databases are rolled back, alone or together, and instances crash. */
export const troubleSteps = (state: State, world: World, step: Step<State>): void => {
  if (world.crashes)
    state.instances.forEach(({ row }, index) => {
      if (row.length > 0)
        step(`instance ${index + 1} crashes`, (draft) => endRound(draft.instances[index] as Instance));
    });
  if (state.rollbacks >= world.rollbacks) return;
  const rollingBack = world.inOrder ? world.rollingBack.slice(state.rollbacks, state.rollbacks + 1) : world.rollingBack;
  if (rollingBack.includes('owner'))
    state.owners.forEach(({ feed, purged }, index) => {
      for (let kept = purged; kept < feed.length; kept += 1)
        step(`owner ${index + 1} is rolled back to ${kept} changes`, (draft) => {
          rollBackOwner(draft, index, feed.slice(0, kept));
          noteRollback(draft, world);
        });
    });
  if (rollingBack.includes('schema'))
    step('the log is lost as a whole', (draft) => {
      rollBackLog(draft, emptyLog);
      noteRollback(draft, world);
    });
  for (const text of state.earlier) {
    const { log, feeds } = JSON.parse(text) as { log: Log; feeds: number[][] };
    if (rollingBack.includes('log'))
      step(`the log is rolled back to ${log.events}`, (draft) => {
        rollBackLog(draft, log);
        noteRollback(draft, world);
      });
    if (rollingBack.includes('server'))
      step(`everything is rolled back to ${log.events}; ${feeds[0]}; ${feeds[1]}`, (draft) => {
        rollBackLog(draft, log);
        feeds.forEach((feed, index) => {
          rollBackOwner(draft, index, feed);
        });
        noteRollback(draft, world);
      });
  }
};

export const endRound = (instance: Instance): void => {
  Object.assign(instance, { since: [], row: [], pulled: [], planned: [] });
};

const noteRollback = (state: State, { rollbacks }: World): void => {
  state.rollbacks += 1;
  if (state.rollbacks >= rollbacks) state.earlier = [];
};

const rollBackOwner = (state: State, index: number, feed: number[]): void => {
  const owner = state.owners[index] as Owner;
  state.lines += 1;
  Object.assign(owner, { line: state.lines, feed, purged: Math.min(owner.purged, feed.length), pending: 0 });
  state.ownerRollbacks += 1;
  // A limitation: changes that were read from an owner, and lost before the log had them, are never taken back.
  const { follower, shown } = state;
  const head = follower.heads[index] as number;
  if (follower.anew[index] && !shown.includes(head))
    follower.heads[index] = feed.findLast((change) => change <= head) ?? 0;
};

/** Connections break, so all running work ends, and the database is met again. */
const rollBackLog = (state: State, log: Log): void => {
  state.lines += 1;
  state.line = state.lines;
  state.log = copy(log);
  for (const instance of state.instances) {
    endRound(instance);
    instance.met = 0;
  }
};
