import { copy, type Step } from '../explore.ts';
import { emptyLog, type Instance, type Log, type Owner, type State, type World } from './state.ts';

/** Databases become earlier ones, alone or together, and instances crash. */
export const troubleSteps = (state: State, world: World, step: Step<State>): void => {
  if (world.crashes)
    state.instances.forEach(({ row }, index) => {
      if (row.length > 0)
        step(`instance ${index + 1} crashes`, (draft) => endRound(draft.instances[index] as Instance));
    });
  if (state.falls >= world.falls) return;
  const falling = world.inOrder ? world.falling.slice(state.falls, state.falls + 1) : world.falling;
  if (falling.includes('owner'))
    state.owners.forEach(({ feed, purged }, index) => {
      for (let kept = purged; kept < feed.length; kept += 1)
        step(`owner ${index + 1} falls back to ${kept} changes`, (draft) => {
          fallOwner(draft, index, feed.slice(0, kept));
          noteFall(draft, world);
        });
    });
  if (falling.includes('schema'))
    step('the log is lost as a whole', (draft) => {
      fallLog(draft, emptyLog);
      noteFall(draft, world);
    });
  for (const text of state.earlier) {
    const { log, feeds } = JSON.parse(text) as { log: Log; feeds: number[][] };
    if (falling.includes('log'))
      step(`the log falls back to ${log.events}`, (draft) => {
        fallLog(draft, log);
        noteFall(draft, world);
      });
    if (falling.includes('server'))
      step(`everything falls back to ${log.events}; ${feeds[0]}; ${feeds[1]}`, (draft) => {
        fallLog(draft, log);
        feeds.forEach((feed, index) => {
          fallOwner(draft, index, feed);
        });
        noteFall(draft, world);
      });
  }
};

export const endRound = (instance: Instance): void => {
  Object.assign(instance, { since: [], row: [], pulled: [], planned: [] });
};

const noteFall = (state: State, { falls }: World): void => {
  state.falls += 1;
  if (state.falls >= falls) state.earlier = [];
};

const fallOwner = (state: State, index: number, feed: number[]): void => {
  const owner = state.owners[index] as Owner;
  state.lines += 1;
  Object.assign(owner, { line: state.lines, feed, purged: Math.min(owner.purged, feed.length), pending: 0 });
  state.ownerFalls += 1;
  // A limit: what was read of an owner, and was lost before the log had it, nobody takes back.
  const { follower, told } = state;
  const head = follower.heads[index] as number;
  if (follower.anew[index] && !told.includes(head))
    follower.heads[index] = feed.findLast((change) => change <= head) ?? 0;
};

/** Connections break, so whatever is under way ends, and the database is met anew. */
const fallLog = (state: State, log: Log): void => {
  state.lines += 1;
  state.line = state.lines;
  state.log = copy(log);
  for (const instance of state.instances) {
    endRound(instance);
    instance.met = 0;
  }
};
