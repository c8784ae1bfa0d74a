import { isWaiting, type KnownItem, type Lane, toWaiting } from './lanes.ts';
import { atOnce, inFlight, mayTry, mayTryNew, nextAttemptAt, nextNewAt, slowMs } from './pace.ts';
import { endOf, hasMore, isReplayOver, nextDueAt, progressOf, reachOf } from './progress.ts';
import { type Asked, pageSize } from './reading.ts';
import { type Action, type Draft, LeaseLost, type Moment, type State, type Step } from './state.ts';

/** So many lanes may wait for a webhook before its position stops. */
const maxWaiting = 1_000;
/** A turn that is longer ends where others wait for theirs, ms. */
const turnMs = 5_000;
/** How long a process that stops waits for answers, ms. */
const stopMs = 3_000;
/** After something that it needs failed it is left alone for so long, ms. */
const pauseMs = 2_000;
/** What was looked at longer ago is looked at again before it is sent, as its creator may not see it any more, ms. */
const freshMs = 100;
/** Pause between two writes, ms, and the longest while reading goes on and finds nothing to be sent. */
const [writeMs, readMs] = [200, 1_000];
/** The longest between two looks at what a turn has come to, ms: a clock that was set, others who wait. */
const lookMs = 1_000;

/** Decides what is to be done now. */
export const decide = (draft: Draft, moment: Moment): Step => {
  const actions: Action[] = [];
  letPass(draft, moment);
  if (!isFinishing(draft, moment)) work(draft, moment, actions);
  write(draft, moment, actions);
  const isHanging = actions.length === 0 && !draft.isAsking && !draft.writing && isSlow(draft, moment);
  return { state: draft, actions, wakeAt: wakeAt(draft, moment), isHanging };
};

/** Nothing more is to be begun. */
const isFinishing = (state: State, { now, elapsed, isCrowded }: Moment): boolean =>
  state.isEnding ||
  state.problem !== undefined ||
  state.failure !== undefined ||
  state.isOver ||
  state.disabling !== undefined ||
  state.stoppedAt !== undefined ||
  // Others may have taken it: this process stood still, or the database does not answer.
  elapsed - state.heldSince >= state.leaseMs ||
  (state.retryAfter ?? 0) > now ||
  (isCrowded && elapsed - state.begunAt > turnMs);

/** Answers were waited for long enough. */
const isStopOver = ({ stoppedAt }: State, { elapsed }: Moment): boolean =>
  stoppedAt !== undefined && elapsed - stoppedAt > stopMs;
const countInFlight = (state: State): number => [...inFlight(state)].length;
const isSlow = (state: State, { elapsed }: Moment): boolean => {
  const begun = [...inFlight(state)];
  return begun.length > 0 && begun.every(([, , sentAt]) => sentAt + slowMs <= elapsed);
};
/** Has what takes long wait in the database, so that it does not hold up the position. */
const letPass = (draft: Draft, { elapsed, now }: Moment): void => {
  for (const [key, lane, sentAt] of inFlight(draft)) {
    if (!isWaiting(lane) && sentAt + slowMs <= elapsed) letWait(draft, key, lane, now);
  }
};
const letWait = (draft: Draft, key: string, lane: Lane, now: number): void => {
  draft.lanes.set(key, { ...toWaiting(lane, draft.isReplay), dueAt: now });
  draft.changed.add(key);
};
/**
 * Has what is known, not sent, and behind what was taken wait in the database: the next turn begins at the position, and would
 * send again what was taken above it.
 */
const closeGaps = (draft: Draft, { now }: Moment): void => {
  for (const [key, lane] of draft.lanes) {
    const [first] = lane.items;
    if (first && !isWaiting(lane) && first.event.seq < draft.takenThrough) letWait(draft, key, lane, now);
  }
};

/** Sends what may be sent, and asks for what is needed to go on. */
const work = (draft: Draft, moment: Moment, actions: Action[]): void => {
  const { now, elapsed } = moment;
  let room = mayTry(draft, moment) ? atOnce(draft, moment) - countInFlight(draft) : 0;
  let mayBeNew = mayTryNew(draft, moment);
  const mustBeNew = isNewNext(draft, moment, room);
  const parts: Asked['lanes'][number][] = [];
  const stale: KnownItem[] = [];
  for (const [key, lane] of draft.lanes) {
    if (room <= 0) break;
    if (lane.sentAt !== undefined || lane.dueAt > now || (isNew(lane) ? !mayBeNew : mustBeNew)) continue;
    const [item] = lane.items;
    room -= 1;
    if (!item) parts.push({ lane: key, range: partOf(lane, draft) });
    else if (isFresh(item, now)) {
      draft.lanes.set(key, { ...lane, sentAt: elapsed });
      draft.triedAt = now;
      draft.random = moment.random;
      if (isNew(lane)) draft.triedNewAt = now;
      draft.isNewNext = !isNew(lane);
      if (!mayTry(draft, moment)) room = 0;
      mayBeNew = mayTryNew(draft, moment);
      actions.push({ kind: 'send', lane: key, item });
    } else stale.push(...lane.items.filter((one) => !isFresh(one, now)));
  }
  const isReading = mayReadOn(draft, moment, room);
  if (draft.isAsking || !(stale.length > 0 || isReading || parts.length > 0)) return;
  draft.isAsking = true;
  const { through: after, isReplay, last } = draft;
  const page = isReading ? { after, until: isReplay ? endOf(draft) : undefined, last } : undefined;
  // No more than is sent next: a receiver that hangs is sent one event of hundreds that are known.
  const again = stale.slice(0, pageSize);
  const isDoubtful = again.length > 0 || elapsed - draft.heldSince > freshMs;
  actions.push({ kind: 'ask', asked: { page, lanes: parts, again, isDoubtful } });
};

/** Nothing of it failed yet. */
const isNew = ({ attempts }: Lane): boolean => attempts === 0;

/** Whether what failed waits for an attempt of something new, as the receiver hangs and it is the turn of that. */
const isNewNext = (state: State, moment: Moment, room: number): boolean => {
  if (!state.isNewNext || nextAttemptAt(state, moment) === undefined) return false;
  const isKnown = [...state.lanes.values()].some((lane) => isNew(lane) && lane.sentAt === undefined);
  return isKnown || mayReadOn(state, moment, room);
};

const isFresh = ({ seenAt }: KnownItem, now: number): boolean => Math.abs(now - seenAt) <= freshMs;

const partOf = ({ ranges: [first] }: Lane, state: State): readonly [number, number] => {
  const [from, until] = first ?? [0, 0];
  return [from, until ?? reachOf(state)];
};

/** Whether what follows is to be read: there is room for it, and an attempt to be made of it soon. */
const mayReadOn = (state: State, moment: Moment, room: number): boolean => {
  if (state.through >= endOf(state) || !mayTryNew(state, moment) || (room <= 0 && !state.hasTaken)) return false;
  let [waiting, known] = [0, 0];
  for (const lane of state.lanes.values()) {
    if (isWaiting(lane)) waiting += 1;
    else known += lane.items.length - (lane.sentAt === undefined ? 0 : 1);
  }
  // Of a receiver that is tried carefully one is enough.
  return waiting < maxWaiting && known <= (nextNewAt(state, moment) === undefined ? pageSize / 2 : 0);
};

/** Whether what could not be written down may be written down now or later: others would send again what was sent. */
const mayWriteAgain = (state: State, moment: Moment): boolean =>
  !(state.failure instanceof LeaseLost) &&
  moment.elapsed - state.heldSince < state.leaseMs &&
  !isStopOver(state, moment);

/** Writes down what there is, where it is time to; ends the turn where nothing is left to be done. */
const write = (draft: Draft, moment: Moment, actions: Action[]): void => {
  if (draft.writing) return;
  const { now, elapsed } = moment;
  const isFinished = isFinishing(draft, moment);
  const isIdle = (countInFlight(draft) === 0 || isStopOver(draft, moment)) && (isFinished || !draft.isAsking);
  const hasFailed = draft.failure !== undefined;
  const isLost = hasFailed && !mayWriteAgain(draft, moment);
  if (draft.isEnding || (isIdle && isLost)) {
    actions.push({ kind: 'end' });
    return;
  }
  if (isLost || (writeAt(draft) > elapsed && (hasFailed || !isIdle))) return;
  const isLast = isIdle && (isFinished || !isReplayOver(draft));
  if (isLast) closeGaps(draft, moment);
  const { deliveries, changed, writtenThrough } = draft;
  const progress = progressOf(draft, now, isLast ? restOf(draft, moment, isFinished) : undefined);
  actions.push({ kind: 'write', progress });
  draft.isEnding = isLast;
  draft.writing = { change: progress.change ?? {}, deliveries, changed, writtenThrough };
  [draft.deliveries, draft.changed] = [[], new Set()];
  [draft.writtenAt, draft.writtenThrough] = [elapsed, draft.through];
};

/** When the next write is due, by a clock that nobody sets, ms: half of the lease is longer than an attempt takes. */
const writeAt = (state: State): number => {
  const { deliveries, changed, through, writtenAt, writtenThrough, heldSince, leaseMs } = state;
  if (state.failure !== undefined) return writtenAt + pauseMs;
  const renewAt = Math.max(heldSince, writtenAt) + leaseMs / 2;
  if (deliveries.length > 0 || changed.size > 0) return Math.min(renewAt, writtenAt + writeMs);
  return through === writtenThrough ? renewAt : Math.min(renewAt, writtenAt + readMs);
};

/** Before when nothing is to be sent. */
const restOf = (state: State, moment: Moment, isFinished: boolean) => {
  const { now } = moment;
  const retryAfter = (state.retryAfter ?? 0) > now ? state.retryAfter : undefined;
  const times = isFinished || !hasMore(state) ? [] : [nextNewAt(state, moment), nextDueAt(state)];
  const soonest = state.problem === undefined ? Math.min(...times.filter((time) => time !== undefined)) : now + pauseMs;
  const latest = Math.max(...[soonest, retryAfter ?? 0, nextAttemptAt(state, moment) ?? 0].filter(Number.isFinite));
  return {
    notBefore: latest > now ? new Date(latest) : null,
    retryAfter: retryAfter === undefined ? null : new Date(retryAfter),
  };
};

const wakeAt = (state: State, moment: Moment): number => {
  const { now, elapsed } = moment;
  const times = [elapsed + lookMs];
  if (!state.writing) times.push(writeAt(state));
  if (state.stoppedAt !== undefined) times.push(state.stoppedAt + stopMs);
  for (const [, lane, sentAt] of inFlight(state)) if (!isWaiting(lane)) times.push(sentAt + slowMs);
  for (const time of [nextDueAt(state), nextNewAt(state, moment)]) {
    if (time !== undefined && time > now) times.push(elapsed + time - now);
  }
  return Math.min(...times);
};
