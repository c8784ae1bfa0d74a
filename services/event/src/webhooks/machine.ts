import type { LoggedEvent } from '@cardinal/contracts';
import {
  freshLane,
  type Item,
  isWaiting,
  type KnownItem,
  type Lane,
  laneOf,
  toWaiting,
  withItem,
  without,
} from './lanes.ts';
import type { LeasedWebhook, WaitingLane } from './leases.ts';
import { type Caution, noCaution, patience, slowMs } from './pace.ts';
import { decide } from './plan.ts';
import { reachOf } from './progress.ts';
import type { LanePart, Page, Reply } from './reading.ts';
import { nextTry } from './schedule.ts';
import type { Attempt } from './sender.ts';
import type { DeliveryRow } from './settle.ts';
import { type Draft, LeaseLost, type Moment, type Outcome, type State, type Step } from './state.ts';

/** The state in which the turn of a webhook begins. */
export const begin = (
  webhook: LeasedWebhook,
  waiting: ReadonlyMap<string, WaitingLane>,
  { leaseMs, elapsed, caution = noCaution }: { leaseMs: number; elapsed: number; caution?: Caution },
): State => {
  const isReplay = webhook.replay_until !== null;
  const through = isReplay ? (webhook.replay_position ?? 0) : webhook.position;
  const lanes = new Map([...waiting].map(([key, lane]) => [key, { ...lane, items: [], sentAt: undefined }] as const));
  return {
    webhook,
    leaseMs,
    lanes,
    isReplay,
    through,
    last: webhook.last,
    begunAt: elapsed,
    failuresInRow: webhook.state === 'failing' ? patience : 0,
    hungInRow: caution.hungInRow,
    isNewNext: caution.isNewNext,
    triedAt: 0,
    triedNewAt: 0,
    random: 0,
    retryAfter: undefined,
    takenAt: Number.NEGATIVE_INFINITY,
    hasTaken: false,
    takenThrough: 0,
    deliveries: [],
    changed: new Set(),
    writtenThrough: through,
    writtenAt: elapsed,
    heldSince: elapsed,
    isAsking: false,
    writing: undefined,
    disabling: undefined,
    isOver: false,
    stoppedAt: undefined,
    problem: undefined,
    failure: undefined,
    isEnding: false,
  };
};

/** What follows from what became of an action, or came from outside: the state after it, and what is to be done now. */
export const next = (before: State, outcome: Outcome, moment: Moment): Step => {
  const { lanes, changed, deliveries } = before;
  const draft: Draft = {
    ...before,
    ...{ lanes: new Map(lanes), changed: new Set(changed), deliveries: [...deliveries] },
  };
  take(draft, outcome, moment);
  return decide(draft, moment);
};

const take = (draft: Draft, outcome: Outcome, moment: Moment): void => {
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
      answered(draft, outcome, moment);
      return;
    case 'asked':
      asked(draft, outcome.reply, moment.now);
      return;
    case 'written':
      written(draft, outcome);
      return;
    case 'failed':
      if (outcome.what === 'asking') [draft.isAsking, draft.problem] = [false, outcome.error];
      else notWritten(draft, outcome.error);
  }
};

/** Puts a lane in the place of what it was; what the database has to know of it is written down. */
const put = (draft: Draft, key: string, lane: Lane | undefined): void => {
  const former = draft.lanes.get(key);
  if ((former && isWaiting(former)) || (lane && isWaiting(lane))) draft.changed.add(key);
  if (lane) draft.lanes.set(key, lane);
  else draft.lanes.delete(key);
};

const say = (
  { deliveries }: Draft,
  event: LoggedEvent | undefined,
  { now }: Pick<Moment, 'now'>,
  row: Partial<DeliveryRow>,
) => {
  const about = { event_id: event?.id ?? null, type: event?.type ?? null, seq: event?.seq ?? null };
  const nothing = { attempt: null, status: null, milliseconds: null, answer: null, error: null, next_try_at: null };
  deliveries.push({ ...about, ...nothing, ...row, at: new Date(now) });
};

const answered = (
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
    [draft.failuresInRow, draft.hungInRow, draft.takenAt, draft.hasTaken] = [0, 0, moment.elapsed, true];
    draft.takenThrough = Math.max(draft.takenThrough, seq);
    say(draft, item.event, moment, { attempt, status, milliseconds, answer });
    put(draft, key, without(lane, seq, reachOf(draft)));
    return;
  }
  const { now, random } = moment;
  draft.failuresInRow += 1;
  draft.hungInRow = milliseconds >= slowMs ? draft.hungInRow + 1 : 0;
  if (retryAfterMs !== undefined) draft.retryAfter = Math.max(draft.retryAfter ?? 0, now + retryAfterMs);
  const firstFailedAt = lane.firstFailedAt ?? now;
  const failure = { attempts: attempt, firstFailedAt, now, retryAfterMs };
  const again = status === 410 ? undefined : nextTry(failure, () => random);
  if (again === undefined) draft.disabling ??= status === 410 ? 'gone' : 'failures';
  const next_try_at = again === undefined ? null : new Date(again);
  say(draft, item.event, moment, { attempt, status, milliseconds, answer, error, next_try_at });
  const waiting = { ...toWaiting(lane, draft.isReplay), sentAt: undefined };
  // What is sent again may have put something before it meanwhile.
  const isFirst = waiting.ranges[0]?.[0] === seq;
  const failed = isFirst ? { attempts: attempt, firstFailedAt, dueAt: again ?? now } : { items: [] };
  put(draft, key, { ...waiting, ...failed });
};

const asked = (draft: Draft, { page, lanes, again, isOurs }: Reply, now: number): void => {
  draft.isAsking = false;
  const known = (item: Item): KnownItem => ({ ...item, seenAt: now });
  if (!isOurs) draft.isOver = true;
  for (const { event, item } of again) lookedAgain(draft, event, item && known(item), now);
  for (const part of lanes) readLane(draft, part, part.items.map(known), now);
  if (page) readOn(draft, page, page.items.map(known), now);
};

const lookedAgain = (draft: Draft, event: LoggedEvent, item: KnownItem | undefined, now: number): void => {
  const key = laneOf(event);
  const lane = draft.lanes.get(key);
  const at = lane?.items.findIndex(({ event: { seq } }) => seq === event.seq) ?? -1;
  if (!lane || at < 0 || (at === 0 && lane.sentAt !== undefined)) return;
  if (item) {
    draft.lanes.set(key, { ...lane, items: lane.items.with(at, item) });
    return;
  }
  say(draft, event, { now }, { error: 'not sent: it is not for this webhook any more' });
  const items = lane.items.toSpliced(at, 1);
  put(draft, key, at === 0 ? without(lane, event.seq, reachOf(draft)) : { ...lane, items });
};

const readLane = (draft: Draft, part: LanePart, items: KnownItem[], now: number): void => {
  const { lane: key, from, through, refused, lost } = part;
  const lane = draft.lanes.get(key);
  // It is another part by now that is first.
  if (lane?.sentAt !== undefined || lane?.items.length !== 0 || lane.ranges[0]?.[0] !== from) return;
  if (refused && lane.attempts > 0) {
    say(draft, refused, { now }, { error: 'not sent: it is not for this webhook any more' });
  }
  if (lost) {
    const error = `what was of ${key.replace('/', ' ')} in events ${lost.join(' to ')} was not sent: it is not kept any more`;
    say(draft, undefined, { now }, { error });
  }
  const first = items[0]?.event.seq;
  const known = { ...lane, items };
  if (first === from) draft.lanes.set(key, known);
  else put(draft, key, without(known, first === undefined ? through : first - 1, reachOf(draft)));
};

const readOn = (draft: Draft, { through, last, lost }: Page, items: KnownItem[], now: number): void => {
  draft.hasTaken = false;
  draft.last = Math.max(draft.last, last);
  draft.through = through;
  // What a fall or the retention took is never come to.
  if (lost)
    say(draft, undefined, { now }, { error: `events ${lost.join(' to ')} were not sent: they are not kept any more` });
  for (const item of items) {
    const key = laneOf(item.event);
    const lane = draft.lanes.get(key);
    const longer = lane ? withItem(lane, item, draft.isReplay) : freshLane(item);
    if (longer !== lane) put(draft, key, longer);
  }
};

/** Nobody knows whether it was: it is written once more. */
const notWritten = (draft: Draft, error: unknown): void => {
  const { writing } = draft;
  if (!writing) throw new Error('nothing was being written');
  draft.deliveries = [...writing.deliveries, ...draft.deliveries];
  for (const lane of writing.changed) draft.changed.add(lane);
  [draft.writing, draft.writtenThrough] = [undefined, writing.writtenThrough];
  [draft.failure, draft.isEnding] = [error, false];
};

const written = (draft: Draft, { begunAt, settled }: Extract<Outcome, { kind: 'written' }>): void => {
  const { writing } = draft;
  draft.writing = undefined;
  if (!settled) {
    draft.failure = new LeaseLost('the webhook is not ours any more');
    return;
  }
  [draft.heldSince, draft.failure] = [begunAt, undefined];
  // The version stays as it was read: so no later write of this turn undoes what somebody asked for.
  if (!settled.unchanged) {
    draft.isOver = true;
    return;
  }
  const { state, failing_since, endsReplay } = writing?.change ?? {};
  draft.webhook = {
    ...draft.webhook,
    version: settled.version,
    ...((state === 'active' || state === 'failing') && { state }),
    ...(failing_since !== undefined && { failing_since }),
  };
  if (endsReplay) [draft.isReplay, draft.through] = [false, draft.webhook.position];
};
