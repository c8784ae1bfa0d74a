import type { LoggedEvent } from '@cardinal/contracts';
import type { DeliveryRow } from './flush.ts';
import {
  addItem,
  type Item,
  isWaiting,
  type KnownItem,
  type Lane,
  laneOf,
  newLane,
  removeThrough,
  toWaiting,
} from './lanes.ts';
import { hangMs } from './pace.ts';
import { decide } from './plan.ts';
import { reachOf } from './progress.ts';
import type { LanePart, Page, ReadReply } from './reading.ts';
import { nextTry } from './schedule.ts';
import type { Attempt } from './sender.ts';
import { type Draft, LeaseLost, type Moment, type Outcome, type State, type Step } from './state.ts';

/**
 * The step function of a delivery session: a pure function.
 * @returns the state after the outcome, and the actions to carry out now
 */
export const next = (before: State, outcome: Outcome, moment: Moment): Step => {
  const { lanes, changedLanes, deliveries } = before;
  const draft: Draft = {
    ...before,
    lanes: new Map(lanes),
    changedLanes: new Set(changedLanes),
    deliveries: [...deliveries],
  };
  applyOutcome(draft, outcome, moment);
  return decide(draft, moment);
};

const applyOutcome = (draft: Draft, outcome: Outcome, moment: Moment): void => {
  switch (outcome.kind) {
    case 'woken':
      return;
    case 'stop':
      draft.stoppedAt ??= moment.elapsed;
      return;
    case 'grew':
      draft.last = Math.max(draft.last, outcome.last);
      return;
    case 'answered':
      applyAnswer(draft, outcome, moment);
      return;
    case 'read':
      applyReply(draft, outcome.reply, moment.now);
      return;
    case 'flushed':
      applyFlush(draft, outcome);
      return;
    case 'failed':
      if (outcome.what === 'read') [draft.isReading, draft.readError] = [false, outcome.error];
      else revertFlush(draft, outcome.error);
  }
};

/** Replaces or removes a lane. The next flush stores it if it is, or was, a waiting lane. */
const setLane = (draft: Draft, key: string, lane: Lane | undefined): void => {
  const former = draft.lanes.get(key);
  if ((former && isWaiting(former)) || (lane && isWaiting(lane))) draft.changedLanes.add(key);
  if (lane) draft.lanes.set(key, lane);
  else draft.lanes.delete(key);
};

/** Adds a row to the list of deliveries. */
const recordDelivery = (
  { deliveries }: Draft,
  event: LoggedEvent | undefined,
  { now }: Pick<Moment, 'now'>,
  row: Partial<DeliveryRow>,
) => {
  deliveries.push({
    event_id: event?.id ?? null,
    type: event?.type ?? null,
    seq: event?.seq ?? null,
    attempt: null,
    status: null,
    milliseconds: null,
    answer: null,
    error: null,
    next_try_at: null,
    ...row,
    at: new Date(now),
  });
};

const applyAnswer = (
  draft: Draft,
  { lane: key, seq, attempt: made }: { lane: string; seq: number; attempt: Attempt },
  moment: Moment,
): void => {
  const lane = draft.lanes.get(key);
  const item = lane?.items[0];
  if (!lane || item?.event.seq !== seq) throw new Error(`event ${seq} was not being sent`);
  const { status, milliseconds, answer, error, retryAfterMs } = made;
  const attempt = lane.attempts + 1;
  if (error === null) {
    draft.failuresInRow = 0;
    draft.hungInRow = 0;
    draft.deliveredAt = moment.elapsed;
    draft.hasDelivered = true;
    draft.deliveredThrough = Math.max(draft.deliveredThrough, seq);
    recordDelivery(draft, item.event, moment, { attempt, status, milliseconds, answer });
    setLane(draft, key, removeThrough(lane, seq, reachOf(draft)));
    return;
  }
  const { now, random } = moment;
  draft.failuresInRow += 1;
  draft.hungInRow = milliseconds >= hangMs ? draft.hungInRow + 1 : 0;
  if (retryAfterMs !== undefined) draft.retryAfter = Math.max(draft.retryAfter ?? 0, now + retryAfterMs);
  const firstFailedAt = lane.firstFailedAt ?? now;
  const failure = { attempts: attempt, firstFailedAt, now, retryAfterMs };
  const retryAt = status === 410 ? undefined : nextTry(failure, () => random);
  if (retryAt === undefined) draft.disabling ??= status === 410 ? 'gone' : 'failures';
  const next_try_at = retryAt === undefined ? null : new Date(retryAt);
  recordDelivery(draft, item.event, moment, { attempt, status, milliseconds, answer, error, next_try_at });
  const waiting = { ...toWaiting(lane, draft.isReplay), sentAt: undefined };
  // A replay may have put earlier events before this one during the attempt. Then those are next.
  const isFirst = waiting.ranges[0]?.[0] === seq;
  const failed = isFirst ? { attempts: attempt, firstFailedAt, dueAt: retryAt ?? now } : { items: [] };
  setLane(draft, key, { ...waiting, ...failed });
};

const applyReply = (draft: Draft, { page, lanes, rechecked, isStillLeased }: ReadReply, now: number): void => {
  draft.isReading = false;
  const known = (item: Item): KnownItem => ({ ...item, checkedAt: now });
  if (!isStillLeased) draft.isStale = true;
  for (const { event, item } of rechecked) applyRecheck(draft, event, item && known(item), now);
  for (const part of lanes) applyLanePart(draft, part, part.items.map(known), now);
  if (page) applyPage(draft, page, page.items.map(known), now);
};

/** @param item undefined if the event must not be sent any more */
const applyRecheck = (draft: Draft, event: LoggedEvent, item: KnownItem | undefined, now: number): void => {
  const key = laneOf(event);
  const lane = draft.lanes.get(key);
  const at = lane?.items.findIndex(({ event: { seq } }) => seq === event.seq) ?? -1;
  if (!lane || at < 0 || (at === 0 && lane.sentAt !== undefined)) return;
  if (item) {
    draft.lanes.set(key, { ...lane, items: lane.items.with(at, item) });
    return;
  }
  recordDelivery(draft, event, { now }, { error: 'not sent: it is not for this webhook any more' });
  const items = lane.items.toSpliced(at, 1);
  setLane(draft, key, at === 0 ? removeThrough(lane, event.seq, reachOf(draft)) : { ...lane, items });
};

const applyLanePart = (draft: Draft, part: LanePart, items: KnownItem[], now: number): void => {
  const { lane: key, from, through, excluded, missing } = part;
  const lane = draft.lanes.get(key);
  // Ignores the part if the lane has begun elsewhere since: a replay put earlier events before it.
  if (lane?.sentAt !== undefined || lane?.items.length !== 0 || lane.ranges[0]?.[0] !== from) return;
  if (excluded && lane.attempts > 0) {
    recordDelivery(draft, excluded, { now }, { error: 'not sent: it is not for this webhook any more' });
  }
  if (missing) {
    const error = `what was of ${key.replace('/', ' ')} in events ${missing.join(' to ')} was not sent: it is not kept any more`;
    recordDelivery(draft, undefined, { now }, { error });
  }
  const first = items[0]?.event.seq;
  const known = { ...lane, items };
  if (first === from) draft.lanes.set(key, known);
  else setLane(draft, key, removeThrough(known, first === undefined ? through : first - 1, reachOf(draft)));
};

const applyPage = (draft: Draft, { through, last, missing }: Page, items: KnownItem[], now: number): void => {
  draft.hasDelivered = false;
  draft.last = Math.max(draft.last, last);
  draft.through = through;
  // Events that a rollback or the retention removed are skipped.
  if (missing) {
    const error = `events ${missing.join(' to ')} were not sent: they are not kept any more`;
    recordDelivery(draft, undefined, { now }, { error });
  }
  for (const item of items) {
    const key = laneOf(item.event);
    const lane = draft.lanes.get(key);
    const longer = lane ? addItem(lane, item, draft.isReplay) : newLane(item);
    if (longer !== lane) setLane(draft, key, longer);
  }
};

/** Returns the content of a failed flush to the draft, for the next one. If the failed one was applied, that repeats it harmlessly. */
const revertFlush = (draft: Draft, error: unknown): void => {
  const { flushing } = draft;
  if (!flushing) throw new Error('no flush was under way');
  draft.deliveries = [...flushing.deliveries, ...draft.deliveries];
  for (const lane of flushing.changedLanes) draft.changedLanes.add(lane);
  draft.flushing = undefined;
  draft.flushedThrough = flushing.flushedThrough;
  draft.flushError = error;
  draft.isEnding = false;
};

const applyFlush = (draft: Draft, { begunAt, result }: Extract<Outcome, { kind: 'flushed' }>): void => {
  const { flushing } = draft;
  draft.flushing = undefined;
  if (!result) {
    draft.flushError = new LeaseLost(
      'another process has the lease of the webhook, it was deleted, or the database rolled back',
    );
    return;
  }
  draft.leaseConfirmedAt = begunAt;
  draft.flushError = undefined;
  // The known version stays as it was read: no later flush of this session overwrites the client's change.
  if (!result.unchanged) {
    draft.isStale = true;
    return;
  }
  const { state, failing_since, endsReplay } = flushing?.change ?? {};
  draft.webhook = {
    ...draft.webhook,
    version: result.version,
    ...((state === 'active' || state === 'failing') && { state }),
    ...(failing_since !== undefined && { failing_since }),
  };
  if (endsReplay) [draft.isReplay, draft.through] = [false, draft.webhook.position];
};
