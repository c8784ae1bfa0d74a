import type { Step } from '../explore.ts';
import { latestOf, resetBase, type State } from './state.ts';

/** A follower reads to the end of the log, and reads everything again where the log demands it. */
export const followerSteps = ({ follower, log }: State, step: Step<State>): void => {
  if (follower.at < log.events.length || follower.at < log.oldest - 1) step('the follower reads on', readOn);
};

const readOn = (state: State): void => {
  const { follower, log } = state;
  // 410: the next event was purged.
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

/** The follower gets a change, after what it got or read of its feed. */
const hear = (state: State, change: number): void => {
  const { follower, parents } = state;
  const owner = ownerOf(state, change);
  const head = follower.heads[owner] as number;
  if (isBehind(parents, change, head)) return;
  const isUnrelated = !isBehind(parents, head, change);
  // A follower that reads an owner right after its rollback may be ahead of the log, which reports the rollback later.
  if (isUnrelated && !follower.anew[owner]) state.contradicted = 1;
  const isLost = !state.owners[owner]?.feed.includes(change);
  if (!isUnrelated && !(isLost && follower.anew[owner]) && parentOf(parents, change) !== head) state.missed = 1;
  follower.heads[owner] = change;
  follower.anew[owner] = 0;
};

const parentOf = (parents: readonly number[], change: number) => Math.floor((parents[change - 1] ?? 0) / 2);
const ownerOf = ({ parents }: State, change: number) => (parents[change - 1] ?? 0) % 2;

/** Whether a change precedes another one in its history, or is the same. */
const isBehind = (parents: readonly number[], change: number, other: number): boolean => {
  for (let at = other; at > 0; at = parentOf(parents, at)) if (at === change) return true;
  return change === 0;
};
