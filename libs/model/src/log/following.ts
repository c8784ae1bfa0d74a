import type { Step } from '../explore.ts';
import { latestOf, resetBase, type State } from './state.ts';

/** Somebody reads on, as far as the log goes, and reads everything anew where told to. */
export const followerSteps = ({ follower, log }: State, step: Step<State>): void => {
  if (follower.at < log.events.length || follower.at < log.oldest - 1) step('the follower reads on', readOn);
};

const readOn = (state: State): void => {
  const { follower, log } = state;
  // 410: what comes next is not kept any more.
  if (follower.at < log.oldest - 1) {
    readAnew(state);
    follower.at = log.oldest - 1;
  }
  for (const event of log.events.slice(follower.at)) {
    follower.at += 1;
    if (event > resetBase) readAnew(state);
    else if (event > 0) hear(state, event);
  }
};

const readAnew = ({ follower, owners }: State): void => {
  follower.heads = owners.map(latestOf);
  follower.anew = owners.map(() => 1);
};

/** A change, after what was heard or read of its feed. */
const hear = (state: State, change: number): void => {
  const { follower, parents } = state;
  const owner = ownerOf(state, change);
  const head = follower.heads[owner] as number;
  if (isBehind(parents, change, head)) return;
  const isUnrelated = !isBehind(parents, head, change);
  // Whoever reads an owner that was just rolled back may be ahead of the log, which says so later.
  if (isUnrelated && !follower.anew[owner]) state.contradicted = 1;
  const isLost = !state.owners[owner]?.feed.includes(change);
  if (!isUnrelated && !(isLost && follower.anew[owner]) && parentOf(parents, change) !== head) state.missed = 1;
  follower.heads[owner] = change;
  follower.anew[owner] = 0;
};

const parentOf = (parents: readonly number[], change: number) => Math.floor((parents[change - 1] ?? 0) / 2);
const ownerOf = ({ parents }: State, change: number) => (parents[change - 1] ?? 0) % 2;

/** Whether a change stands before another in its history, or is it. */
const isBehind = (parents: readonly number[], change: number, other: number): boolean => {
  for (let at = other; at > 0; at = parentOf(parents, at)) if (at === change) return true;
  return change === 0;
};
