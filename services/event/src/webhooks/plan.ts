import { isReplayed, isWaiting, type KnownItem, type Lane, toWaiting } from './lanes.ts';
import { concurrencyLimit, hangMs, inFlight, mayTry, mayTryNew, nextAttemptAt, nextNewAt } from './pace.ts';
import { endOf, hasMore, isReplayOver, nextDueAt, progressOf, reachOf } from './progress.ts';
import { pageSize, type ReadRequest } from './reading.ts';
import { type Action, type Draft, LeaseLost, type Moment, type State, type Step } from './state.ts';

/** Most waiting lanes of a webhook. With more of them its position stops. */
const maxWaiting = 1_000;
/** A longer session ends while other webhooks wait for a slot, ms. */
const sessionMs = 5_000;
/** How long a process that stops waits for the attempts under way, ms. */
const stopMs = 3_000;
/** Pause before a failed read or flush is repeated, ms. */
const errorPauseMs = 2_000;
/** A visibility check that is older is repeated before the event is sent: the creator may not see it any more, ms. */
const freshMs = 100;
/** Pause between two flushes, ms: with attempts or lanes to store, and with nothing but a new position. */
const [flushMs, positionFlushMs] = [200, 1_000];
/** Longest time between two steps, ms. A step notices changes of the wall clock, and other webhooks that wait for a slot. */
const stepMs = 1_000;

/** Decides what to do next. Changes the draft accordingly, and returns it with the actions. */
export const decide = (draft: Draft, moment: Moment): Step => {
  const actions: Action[] = [];
  storeHangingLanes(draft, moment);
  if (!isFinishing(draft, moment)) planWork(draft, moment, actions);
  planFlush(draft, moment, actions);
  const isHanging = actions.length === 0 && !draft.isReading && !draft.flushing && areAllHanging(draft, moment);
  return { state: draft, actions, wakeAt: wakeTime(draft, moment), isHanging };
};

/** Whether the session ends: it begins no read and no attempt any more. */
const isFinishing = (state: State, { now, elapsed, isCrowded }: Moment): boolean =>
  state.isEnding ||
  state.readError !== undefined ||
  state.flushError !== undefined ||
  state.isStale ||
  state.disabling !== undefined ||
  state.stoppedAt !== undefined ||
  // Another process may have the lease: this one was suspended, or the database does not answer.
  elapsed - state.leaseConfirmedAt >= state.leaseMs ||
  (state.retryAfter ?? 0) > now ||
  (isCrowded && elapsed - state.begunAt > sessionMs);

/** Whether a process that stops gives up the attempts under way. */
const isStopOver = ({ stoppedAt }: State, { elapsed }: Moment): boolean =>
  stoppedAt !== undefined && elapsed - stoppedAt > stopMs;
const countInFlight = (state: State): number => [...inFlight(state)].length;
/** Whether attempts are under way and all of them hang. */
const areAllHanging = (state: State, { elapsed }: Moment): boolean => {
  const begun = [...inFlight(state)];
  return begun.length > 0 && begun.every(([, , sentAt]) => sentAt + hangMs <= elapsed);
};
/** Turns lanes with a hanging attempt into waiting ones, so that they do not hold back the position. */
const storeHangingLanes = (draft: Draft, { elapsed, now }: Moment): void => {
  for (const [key, lane, sentAt] of inFlight(draft)) {
    if (!isWaiting(lane) && sentAt + hangMs <= elapsed) storeAsWaiting(draft, key, lane, now);
  }
};
const storeAsWaiting = (draft: Draft, key: string, lane: Lane, now: number): void => {
  draft.lanes.set(key, { ...toWaiting(lane, draft.isReplay), dueAt: now });
  draft.changedLanes.add(key);
};
/**
 * Stores gaps: pending events below the highest delivered one become waiting lanes. The next session begins at the position. If
 * a gap held the position back, that session would send again the delivered events above it.
 */
const storeGaps = (draft: Draft, { now }: Moment): void => {
  for (const [key, lane] of draft.lanes) {
    const [first] = lane.items;
    if (first && !isWaiting(lane) && first.event.seq < draft.deliveredThrough) storeAsWaiting(draft, key, lane, now);
  }
};

/** Plans attempts for the lanes that are due, and a read of the events that are needed next. */
const planWork = (draft: Draft, moment: Moment, actions: Action[]): void => {
  const { now, elapsed } = moment;
  let slots = mayTry(draft, moment) ? concurrencyLimit(draft, moment) - countInFlight(draft) : 0;
  let mayBeNew = mayTryNew(draft, moment);
  const mustBeNew = isNewNext(draft, moment, slots);
  const laneRequests: ReadRequest['lanes'][number][] = [];
  const stale: KnownItem[] = [];
  for (const [key, lane] of draft.lanes) {
    if (slots <= 0) break;
    if (lane.sentAt !== undefined || lane.dueAt > now || (isNew(lane) ? !mayBeNew : mustBeNew)) continue;
    const [item] = lane.items;
    slots -= 1;
    if (!item) laneRequests.push({ lane: key, range: nextRange(lane, draft) });
    else if (isFresh(item, now)) {
      draft.lanes.set(key, { ...lane, sentAt: elapsed });
      draft.attemptedAt = now;
      draft.random = moment.random;
      if (isNew(lane)) draft.attemptedNewAt = now;
      draft.isNewNext = !isNew(lane);
      if (!mayTry(draft, moment)) slots = 0;
      mayBeNew = mayTryNew(draft, moment);
      actions.push({ kind: 'send', lane: key, item, isReplay: isReplayed(lane, draft.isReplay) });
    } else stale.push(...lane.items.filter((one) => !isFresh(one, now)));
  }
  const readsPage = mayReadPage(draft, moment, slots);
  if (draft.isReading || !(stale.length > 0 || readsPage || laneRequests.length > 0)) return;
  draft.isReading = true;
  const { through: after, isReplay, last } = draft;
  const page = readsPage ? { after, until: isReplay ? endOf(draft) : undefined, last } : undefined;
  // At most one page: of hundreds of known events a hanging receiver is sent one.
  const recheck = stale.slice(0, pageSize);
  const checksLease = recheck.length > 0 || elapsed - draft.leaseConfirmedAt > freshMs;
  actions.push({ kind: 'read', request: { page, lanes: laneRequests, recheck, checksLease } });
};

/** Whether no attempt of the lane's first event has failed. */
const isNew = ({ attempts }: Lane): boolean => attempts === 0;

/** Whether the next probe of a hanging receiver must be a new event, and there is one to send or to read. */
const isNewNext = (state: State, moment: Moment, slots: number): boolean => {
  if (!state.isNewNext || nextAttemptAt(state, moment) === undefined) return false;
  const isKnown = [...state.lanes.values()].some((lane) => isNew(lane) && lane.sentAt === undefined);
  return isKnown || mayReadPage(state, moment, slots);
};

const isFresh = ({ checkedAt }: KnownItem, now: number): boolean => Math.abs(now - checkedAt) <= freshMs;

const nextRange = ({ ranges: [first] }: Lane, state: State): readonly [number, number] => {
  const [from, until] = first ?? [0, 0];
  return [from, until ?? reachOf(state)];
};

/** Whether to read the next page of the log: there is memory for it, and an attempt of its events may begin soon. */
const mayReadPage = (state: State, moment: Moment, slots: number): boolean => {
  if (state.through >= endOf(state) || !mayTryNew(state, moment) || (slots <= 0 && !state.hasDelivered)) return false;
  let [waiting, known] = [0, 0];
  for (const lane of state.lanes.values()) {
    if (isWaiting(lane)) waiting += 1;
    else known += lane.items.length - (lane.sentAt === undefined ? 0 : 1);
  }
  // While the rate of new events is limited, a single known event is enough.
  return waiting < maxWaiting && known <= (nextNewAt(state, moment) === undefined ? pageSize / 2 : 0);
};

/** Whether a failed flush may be repeated. After the lease another process sends the same events again anyway. */
const mayRetryFlush = (state: State, moment: Moment): boolean =>
  !(state.flushError instanceof LeaseLost) &&
  moment.elapsed - state.leaseConfirmedAt < state.leaseMs &&
  !isStopOver(state, moment);

/** Plans a flush if one is due, and the end of the session if nothing is left to do. */
const planFlush = (draft: Draft, moment: Moment, actions: Action[]): void => {
  if (draft.flushing) return;
  const { now, elapsed } = moment;
  const isFinished = isFinishing(draft, moment);
  const isIdle = (countInFlight(draft) === 0 || isStopOver(draft, moment)) && (isFinished || !draft.isReading);
  const hasFailed = draft.flushError !== undefined;
  const isLost = hasFailed && !mayRetryFlush(draft, moment);
  if (draft.isEnding || (isIdle && isLost)) {
    actions.push({ kind: 'end' });
    return;
  }
  if (isLost || (nextFlushAt(draft) > elapsed && (hasFailed || !isIdle))) return;
  const isLast = isIdle && (isFinished || !isReplayOver(draft));
  if (isLast) storeGaps(draft, moment);
  const { deliveries, changedLanes, flushedThrough } = draft;
  const progress = progressOf(draft, now, isLast ? releaseOf(draft, moment, isFinished) : undefined);
  actions.push({ kind: 'flush', progress });
  draft.isEnding = isLast;
  draft.flushing = { change: progress.change ?? {}, deliveries, changedLanes, flushedThrough };
  [draft.deliveries, draft.changedLanes] = [[], new Set()];
  [draft.flushedAt, draft.flushedThrough] = [elapsed, draft.through];
};

/** Returns when the next flush is due, monotonic clock, ms. One at half of the lease renews it. */
const nextFlushAt = (state: State): number => {
  const { deliveries, changedLanes, through, flushedAt, flushedThrough, leaseConfirmedAt, leaseMs } = state;
  if (state.flushError !== undefined) return flushedAt + errorPauseMs;
  const renewAt = Math.max(leaseConfirmedAt, flushedAt) + leaseMs / 2;
  if (deliveries.length > 0 || changedLanes.size > 0) return Math.min(renewAt, flushedAt + flushMs);
  return through === flushedThrough ? renewAt : Math.min(renewAt, flushedAt + positionFlushMs);
};

/** Returns how the lease is released: before when no process leases the webhook again. */
const releaseOf = (state: State, moment: Moment, isFinished: boolean) => {
  const { now } = moment;
  const retryAfter = (state.retryAfter ?? 0) > now ? state.retryAfter : undefined;
  const times = isFinished || !hasMore(state) ? [] : [nextNewAt(state, moment), nextDueAt(state)];
  const soonest =
    state.readError === undefined ? Math.min(...times.filter((time) => time !== undefined)) : now + errorPauseMs;
  const latest = Math.max(...[soonest, retryAfter ?? 0, nextAttemptAt(state, moment) ?? 0].filter(Number.isFinite));
  return {
    notBefore: latest > now ? new Date(latest) : null,
    retryAfter: retryAfter === undefined ? null : new Date(retryAfter),
  };
};

const wakeTime = (state: State, moment: Moment): number => {
  const { now, elapsed } = moment;
  const times = [elapsed + stepMs];
  if (!state.flushing) times.push(nextFlushAt(state));
  if (state.stoppedAt !== undefined) times.push(state.stoppedAt + stopMs);
  for (const [, lane, sentAt] of inFlight(state)) if (!isWaiting(lane)) times.push(sentAt + hangMs);
  for (const time of [nextDueAt(state), nextNewAt(state, moment)]) {
    if (time !== undefined && time > now) times.push(elapsed + time - now);
  }
  return Math.min(...times);
};
