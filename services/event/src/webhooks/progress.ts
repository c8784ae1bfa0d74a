import type { Progress, StateChange } from './flush.ts';
import { isWaiting } from './lanes.ts';
import type { State } from './state.ts';

/** Failed attempts of one event after which the state of the webhook becomes `failing` (CONTRACT 10.1). */
const failingAttempts = 3;

/** Returns the last sequence number to read: the end of the replay, or of the log. */
export const endOf = ({ isReplay, webhook, last }: State): number => (isReplay ? (webhook.replay_until ?? 0) : last);

/** Returns how far the webhook has read new events. Open ranges of waiting lanes end there. */
export const reachOf = ({ isReplay, webhook, through }: State): number => (isReplay ? webhook.position : through);

/** Returns the position that may be stored: before the first pending event that only this process knows. */
const positionOf = ({ lanes, through }: State): number => {
  let position = through;
  for (const lane of lanes.values()) {
    const [first] = lane.items;
    if (first && !isWaiting(lane)) position = Math.min(position, first.event.seq - 1);
  }
  return position;
};

/** Whether there are events to read or to send besides those of waiting lanes. */
export const hasMore = (state: State): boolean => state.through < endOf(state) || positionOf(state) < state.through;

/** Whether the replay has sent all its events, except those of waiting lanes. */
export const isReplayOver = (state: State): boolean =>
  state.isReplay && state.through >= endOf(state) && positionOf(state) >= state.through;

/**
 * Returns when the first waiting lane is due, ms since 1970; undefined if none waits. Lanes with an attempt under way count: if
 * this process vanishes, the next lease has to find them.
 */
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
 * Returns what a flush stores of a session.
 * @param now ms since 1970
 * @param release set to release the lease; undefined to renew it
 */
export const progressOf = (state: State, now: number, release: Progress['release']): Progress => {
  const { webhook, leaseMs, deliveries, lanes, changedLanes, isReplay } = state;
  const [waiting, cleared]: [Progress['waiting'][number][], string[]] = [[], []];
  for (const key of changedLanes) {
    const lane = lanes.get(key);
    if (lane && isWaiting(lane)) waiting.push({ lane: key, ...lane });
    else cleared.push(key);
  }
  const position = positionOf(state);
  const change = changeOf(state, now);
  const dueAt = nextDueAt(state);
  return {
    webhook,
    deliveries,
    cleared,
    waiting,
    leaseMs,
    release,
    at: new Date(now),
    ...(isReplay ? { replayPosition: position } : { position }),
    ...(Object.keys(change).length > 0 && { change }),
    retryAt: dueAt === undefined ? null : new Date(dueAt),
  };
};
