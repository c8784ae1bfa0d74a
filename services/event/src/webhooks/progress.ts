import { isWaiting } from './lanes.ts';
import type { Progress, StateChange } from './settle.ts';
import type { State } from './state.ts';

/** After so many attempts of one event the webhook is called failing. */
const failingAttempts = 3;

/** Where what is read now ends. */
export const endOf = ({ isReplay, webhook, last }: State): number => (isReplay ? (webhook.replay_until ?? 0) : last);

/** How far the webhook has come with what is new: what waits is looked for up to there. */
export const reachOf = ({ isReplay, webhook, through }: State): number => (isReplay ? webhook.position : through);

/** How far the position may go: up to the first event that only this process knows. */
const cursorOf = ({ lanes, through }: State): number => {
  let cursor = through;
  for (const lane of lanes.values()) {
    const [first] = lane.items;
    if (first && !isWaiting(lane)) cursor = Math.min(cursor, first.event.seq - 1);
  }
  return cursor;
};

/** Whether something is left that does not wait for its time. */
export const hasMore = (state: State): boolean => state.through < endOf(state) || cursorOf(state) < state.through;

/** What is sent again is done, but for what waits. */
export const isReplayOver = (state: State): boolean =>
  state.isReplay && state.through >= endOf(state) && cursorOf(state) >= state.through;

/** When the first of what waits is due, ms since 1970; what is being sent counts: who takes over has to know of it. */
export const nextDueAt = ({ lanes }: State): number | undefined => {
  let soonest: number | undefined;
  for (const lane of lanes.values()) if (isWaiting(lane)) soonest = Math.min(soonest ?? lane.dueAt, lane.dueAt);
  return soonest;
};

const changeOf = (state: State, now: number): StateChange => {
  const { webhook, disabling, lanes } = state;
  const ends = isReplayOver(state) ? ({ endsReplay: true } as const) : {};
  if (disabling) {
    return {
      ...ends,
      state: 'disabled',
      disabled_reason: disabling,
      failing_since: webhook.failing_since ?? new Date(now),
    };
  }
  const isFailing = [...lanes.values()].some(({ attempts }) => attempts >= failingAttempts);
  if (isFailing && webhook.state === 'active') return { ...ends, state: 'failing', failing_since: new Date(now) };
  if (!isFailing && webhook.state === 'failing') return { ...ends, state: 'active', failing_since: null };
  return ends;
};

/**
 * What is to be written down of a state.
 * @param rest how the lease ends; undefined to keep it
 */
export const progressOf = (state: State, now: number, rest: Progress['rest']): Progress => {
  const { webhook, leaseMs, deliveries, lanes, changed, isReplay } = state;
  const [waiting, settled]: [Progress['waiting'][number][], string[]] = [[], []];
  for (const key of changed) {
    const lane = lanes.get(key);
    if (lane && isWaiting(lane)) waiting.push({ lane: key, ...lane });
    else settled.push(key);
  }
  const cursor = cursorOf(state);
  const change = changeOf(state, now);
  const dueAt = nextDueAt(state);
  return {
    ...{ webhook, deliveries, settled, waiting, leaseMs, rest, at: new Date(now) },
    ...(isReplay ? { replayPosition: cursor } : { position: cursor }),
    ...(Object.keys(change).length > 0 && { change }),
    retryAt: dueAt === undefined ? null : new Date(dueAt),
  };
};
