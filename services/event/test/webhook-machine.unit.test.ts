import type { LoggedEvent } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { begin } from '../src/webhooks/begin.ts';
import type { Progress } from '../src/webhooks/flush.ts';
import type { Item } from '../src/webhooks/lanes.ts';
import type { LeasedWebhook, WaitingLane } from '../src/webhooks/leases.ts';
import { next } from '../src/webhooks/machine.ts';
import { type Breaker, closedBreaker } from '../src/webhooks/pace.ts';
import type { ReadRequest } from '../src/webhooks/reading.ts';
import type { Attempt } from '../src/webhooks/sender.ts';
import { type Action, LeaseLost, type Outcome, type State } from '../src/webhooks/state.ts';
import { attemptOf, eventOf, hungAttempt, leaseMs, webhookOf } from './support/machine.ts';

/** A session whose actions the test carries out. */
const aSession = (
  more: Partial<LeasedWebhook> = {},
  waiting: ReadonlyMap<string, WaitingLane> = new Map(),
  breaker: Breaker = closedBreaker,
) => {
  let state: State = begin(webhookOf(more), waiting, { leaseMs, elapsed: 0, breaker });
  const clock = { now: 1_000_000, elapsed: 0, isCrowded: false };
  const go = (outcome: Outcome): Action[] => {
    const step = next(state, outcome, { ...clock, random: 0 });
    state = step.state;
    return step.actions;
  };
  const pass = (ms: number): Action[] => {
    clock.now += ms;
    clock.elapsed += ms;
    return go({ kind: 'woken' });
  };
  const item = (event: LoggedEvent): Item => ({ event, text: event.text });
  const readTo = (last: number, cards: readonly string[], after = 0) => {
    const items = cards.map((card, at) => item(eventOf(after + at + 1, card)));
    const page = { items, through: after + cards.length, last, missing: undefined };
    return go({ kind: 'read', reply: { page, lanes: [], rechecked: [], isStillLeased: true } });
  };
  const answer = (seq: number, card: string, attempt: Attempt) =>
    go({ kind: 'answered', lane: `card/${card}`, seq, attempt });
  return { go, pass, readTo, answer, item, clock, state: () => state };
};

const sent = (actions: readonly Action[]) =>
  actions.flatMap((action) => (action.kind === 'send' ? [action.item.event.seq] : []));
const flushed = (actions: readonly Action[]): Progress | undefined =>
  actions.flatMap((action) => (action.kind === 'flush' ? [action.progress] : []))[0];
const requested = (actions: readonly Action[]): ReadRequest | undefined =>
  actions.flatMap((action) => (action.kind === 'read' ? [action.request] : []))[0];

describe('a delivery session', () => {
  it('reads the log, sends the first event of each card, and ends after the last one', () => {
    const session = aSession({ last: 3 });
    expect(requested(session.go({ kind: 'woken' }))?.page).toEqual({ after: 0, until: undefined, last: 3 });
    expect(sent(session.readTo(3, ['a', 'a', 'b']))).toEqual([1, 3]);
    expect(sent(session.answer(1, 'a', attemptOf(200)))).toEqual([2]);
    expect(session.answer(3, 'b', attemptOf(200))).toEqual([]);
    const last = flushed(session.answer(2, 'a', attemptOf(200)));
    expect(last).toMatchObject({ position: 3, cleared: [], waiting: [], release: { notBefore: null } });
    expect(last?.deliveries.map(({ seq, attempt }) => [seq, attempt])).toEqual([1, 3, 2].map((seq) => [seq, 1]));
    expect(session.go({ kind: 'flushed', begunAt: 0, result: { version: 1, unchanged: true } })).toEqual([
      { kind: 'end' },
    ]);
  });

  it('says of each event whether a replay sends it again, also where it is tried again after the replay', () => {
    const waiting = new Map([
      ['card/new', { ranges: [[2, null]] as const, attempts: 1, firstFailedAt: 0, dueAt: 0 }],
      ['card/old', { ranges: [[1, 1]] as const, attempts: 1, firstFailedAt: 0, dueAt: 0 }],
    ]);
    const session = aSession({ last: 4, position: 3 }, waiting);
    const request = requested(session.go({ kind: 'woken' }));
    expect(request?.lanes.map(({ lane }) => lane)).toEqual(['card/new', 'card/old']);
    const part = (lane: string, seq: number) => {
      const items = [session.item(eventOf(seq, lane.slice('card/'.length)))];
      return { lane, from: seq, through: seq, items, excluded: undefined, missing: undefined };
    };
    const lanes = [part('card/new', 2), part('card/old', 1)];
    const page = { items: [session.item(eventOf(4, 'c'))], last: 4, through: 4, missing: undefined };
    const actions = session.go({ kind: 'read', reply: { page, lanes, rechecked: [], isStillLeased: true } });
    const replayed = actions.flatMap((action) =>
      action.kind === 'send' ? [[action.item.event.seq, action.isReplay]] : [],
    );
    expect(replayed).toEqual([
      [2, false],
      [1, true],
    ]);
    const replay = aSession({ last: 4, position: 4, replay_position: 0, replay_until: 2 });
    replay.go({ kind: 'woken' });
    const again = replay.readTo(4, ['a', 'b']);
    expect(again.map((action) => action.kind === 'send' && action.isReplay)).toEqual([true, true]);
  });

  it('stores a lane whose attempt hangs as a range of the log, and moves its position past it', () => {
    const session = aSession({ last: 3 });
    session.go({ kind: 'woken' });
    session.readTo(3, ['a', 'a', 'b']);
    session.answer(3, 'b', attemptOf(200));
    expect(flushed(session.pass(500))).toMatchObject({ position: 0, waiting: [] });
    session.go({ kind: 'flushed', begunAt: 500, result: { version: 1, unchanged: true } });
    expect(flushed(session.pass(600))).toMatchObject({
      position: 3,
      waiting: [{ lane: 'card/a', ranges: [[1, null]] }],
    });
  });

  it('does not read a log that grew while no attempt may begin', () => {
    const session = aSession({ last: 2 });
    session.go({ kind: 'woken' });
    expect(sent(session.readTo(2, ['a', 'b']))).toEqual([1, 2]);
    expect(session.go({ kind: 'grew', last: 3 })).toEqual([]);
    expect(requested(session.answer(1, 'a', attemptOf(200)))?.page).toMatchObject({ after: 2 });
  });

  it('sends a receiver that fails one event at a time, and a new event every five seconds', () => {
    const session = aSession({ last: 30 });
    session.go({ kind: 'woken' });
    const cards = Array.from({ length: 30 }, (_, at) => `${at + 1}`);
    expect(sent(session.readTo(30, cards))).toEqual([1, 2]);
    let last: Progress | undefined;
    for (let seq = 1; seq <= 6; seq += 1) last = flushed(session.answer(seq, `${seq}`, attemptOf(500))) ?? last;
    expect(last?.release?.notBefore).toEqual(new Date(session.clock.now + 5_000));
  });

  it('rechecks no more events than may be sent, while a receiver hangs', () => {
    const session = aSession({ last: 2 });
    session.go({ kind: 'woken' });
    expect(sent(session.readTo(2, ['a', 'b']))).toHaveLength(2);
    session.pass(5_000);
    expect(requested(session.go({ kind: 'grew', last: 60 }))?.page).toMatchObject({ after: 2 });
    const cards = Array.from({ length: 58 }, (_, at) => `${at}`);
    expect(sent(session.readTo(60, cards, 2))).toHaveLength(1);
    // Each hung attempt lengthens the pause.
    expect(requested(session.pass(15_000))).toBeUndefined();
    expect(requested(session.pass(5_000))?.recheck).toHaveLength(2);
  });

  it('probes a receiver that keeps hanging once a minute, alternating new events and retries', () => {
    const lane = { ranges: [[1, null] as const], attempts: 3, firstFailedAt: 0, dueAt: 0 };
    const waiting = new Map([['card/a', lane]]);
    const place = { position: 1, last: 2 };

    const failed = aSession(place, waiting, { hungInRow: 4, isNewNext: false });
    const begunAt = failed.clock.now;
    expect(requested(failed.go({ kind: 'woken' }))).toMatchObject({ page: undefined, lanes: [{ lane: 'card/a' }] });
    const part = {
      lane: 'card/a',
      from: 1,
      through: 1,
      excluded: undefined,
      missing: undefined,
      items: [failed.item(eventOf(1, 'a'))],
    };
    const reply = { page: undefined, lanes: [part], rechecked: [], isStillLeased: true };
    expect(sent(failed.go({ kind: 'read', reply }))).toEqual([1]);
    failed.pass(15_000);
    failed.go({ kind: 'flushed', begunAt: 0, result: { version: 1, unchanged: true } });
    const last = flushed(failed.answer(1, 'a', hungAttempt)) ?? flushed(failed.pass(1));
    expect(last?.release?.notBefore).toEqual(new Date(begunAt + 60_000));
    expect(failed.state()).toMatchObject({ hungInRow: 5, isNewNext: true });

    const fresh = aSession(place, waiting, { hungInRow: 5, isNewNext: true });
    expect(requested(fresh.go({ kind: 'woken' }))).toMatchObject({ page: { after: 1 }, lanes: [] });
    expect(sent(fresh.readTo(2, ['b'], 1))).toEqual([2]);
    expect(fresh.state().isNewNext).toBe(false);
    // The receiver accepts one event: the breaker closes, and the waiting lane may be sent.
    expect(requested(fresh.answer(2, 'b', attemptOf(200)))?.lanes).toHaveLength(1);
  });

  it('retries a failed event if there is no new event to send', () => {
    const lane = { ranges: [[1, null] as const], attempts: 3, firstFailedAt: 0, dueAt: 0 };
    const session = aSession({ position: 1, last: 2 }, new Map([['card/a', lane]]), { hungInRow: 5, isNewNext: true });
    session.go({ kind: 'woken' });
    const page = { items: [], through: 2, last: 2, missing: undefined };
    const reply = { page, lanes: [], rechecked: [], isStillLeased: true };
    expect(requested(session.go({ kind: 'read', reply }))?.lanes).toHaveLength(1);
  });

  it('closes the circuit breaker when the receiver fails without hanging', () => {
    const session = aSession({ last: 3 }, new Map(), { hungInRow: 7, isNewNext: false });
    session.go({ kind: 'woken' });
    expect(sent(session.readTo(3, ['a', 'b', 'c']))).toEqual([1]);
    expect(sent(session.answer(1, 'a', attemptOf(500)))).toEqual([2, 3]);
  });

  it('stores gaps as waiting lanes when it ends for other webhooks, so that the next session repeats nothing', () => {
    const session = aSession({ last: 40 });
    const cardsOf = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`);
    session.go({ kind: 'woken' });
    session.clock.elapsed += 4_800;
    session.readTo(40, cardsOf(1, 18));
    // After the first delivery sixteen attempts run at once.
    const actions = session.answer(1, '1', attemptOf(200));
    expect(sent(actions)).toEqual(cardsOf(3, 17).map(Number));
    expect(requested(actions)?.page).toMatchObject({ after: 18 });
    session.clock.now += 201;
    session.clock.elapsed += 201;
    for (const seq of [2, 3, 4, 5]) session.answer(seq, `${seq}`, attemptOf(200));
    // The visibility check of event 18 is too old.
    expect(sent(session.readTo(40, cardsOf(19, 40), 18))).toEqual([19, 20, 21]);
    session.clock.isCrowded = true;
    let last: Progress | undefined;
    for (const seq of [...cardsOf(6, 17), '19', '20', '21'].map(Number)) {
      last = flushed(session.answer(seq, `${seq}`, attemptOf(200))) ?? last;
      if (session.state().flushing)
        session.go({ kind: 'flushed', begunAt: 0, result: { version: 1, unchanged: true } });
    }
    const page = undefined;
    last =
      flushed(session.go({ kind: 'read', reply: { page, lanes: [], rechecked: [], isStillLeased: true } })) ?? last;
    expect(last).toMatchObject({ position: 21, waiting: [{ lane: 'card/18', ranges: [[18, null]] }] });
  });

  it('sends the events of a read at once, however long the read took', () => {
    const session = aSession({ last: 1 });
    session.go({ kind: 'woken' });
    session.clock.now += 700;
    session.clock.elapsed += 700;
    expect(sent(session.readTo(1, ['a']))).toEqual([1]);
  });

  it('rechecks events that it read a while ago before it sends them, and records those that it must not send', () => {
    const session = aSession({ last: 3 });
    session.go({ kind: 'woken' });
    session.readTo(3, ['a', 'a', 'a']);
    session.clock.now += 700;
    const request = requested(session.answer(1, 'a', attemptOf(200)));
    expect(request?.recheck.map(({ event }) => event.seq)).toEqual([2, 3]);
    const rechecked = (request?.recheck ?? []).map(({ event }) => ({ event, item: undefined }));
    const last = flushed(
      session.go({ kind: 'read', reply: { page: undefined, lanes: [], rechecked, isStillLeased: true } }),
    );
    expect(last?.position).toBe(3);
    expect(last?.deliveries.map(({ seq, error }) => [seq, error])).toEqual([
      [1, null],
      [2, 'not sent: it is not for this webhook any more'],
      [3, 'not sent: it is not for this webhook any more'],
    ]);
  });

  it('begins nothing more once the webhook was changed, or its lease expired', () => {
    const changed = aSession({ last: 2 });
    changed.go({ kind: 'woken' });
    const page = { items: [changed.item(eventOf(1, 'a'))], through: 2, last: 2, missing: undefined };
    const reply = { page, lanes: [], rechecked: [], isStillLeased: false };
    expect(flushed(changed.go({ kind: 'read', reply }))).toMatchObject({ position: 0 });

    const late = aSession({ last: 2 });
    late.go({ kind: 'woken' });
    late.clock.elapsed += leaseMs;
    expect(sent(late.readTo(2, ['a', 'b']))).toEqual([]);
  });

  it('repeats a failed flush, and begins no attempt before', () => {
    const session = aSession({ last: 3 });
    session.go({ kind: 'woken' });
    session.readTo(3, ['a', 'b', 'b']);
    session.answer(1, 'a', attemptOf(500));
    const first = flushed(session.pass(300));
    expect(first?.deliveries.map(({ seq }) => seq)).toEqual([1]);
    const error = new Error('the database was away for a moment');
    expect(session.go({ kind: 'failed', what: 'flush', error })).toEqual([]);
    expect(session.answer(2, 'b', attemptOf(200))).toEqual([]);
    const second = flushed(session.pass(2_000));
    expect(second?.deliveries.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(second).toMatchObject({ position: 2, waiting: [{ lane: 'card/a', ranges: [[1, null]] }] });
    session.go({ kind: 'flushed', begunAt: session.clock.elapsed, result: { version: 1, unchanged: true } });
    expect(session.state().flushError).toBeUndefined();
  });

  it('ends with the error of its flush if none succeeds before the lease expires', () => {
    const session = aSession({ last: 1 });
    session.go({ kind: 'woken' });
    session.readTo(1, ['a']);
    const error = new Error('the database is away');
    let actions = session.answer(1, 'a', attemptOf(200));
    let flushes = 0;
    while (!actions.some(({ kind }) => kind === 'end')) {
      if (flushed(actions)) {
        flushes += 1;
        actions = session.go({ kind: 'failed', what: 'flush', error });
      } else actions = session.pass(500);
    }
    expect(flushes).toBe(15);
    expect(session.clock.elapsed).toBe(leaseMs);
    expect(session.state().flushError).toBe(error);
  });

  it('ends with LeaseLost if another process has the lease', () => {
    const session = aSession({ last: 0 });
    expect(flushed(session.go({ kind: 'woken' }))).toBeDefined();
    expect(session.go({ kind: 'flushed', begunAt: 0, result: undefined })).toEqual([{ kind: 'end' }]);
    expect(session.state().flushError).toBeInstanceOf(LeaseLost);
  });

  it('does not renew its lease beside the flush that stores the lane of a hanging attempt', () => {
    const session = aSession({ last: 1 });
    session.go({ kind: 'woken' });
    session.readTo(1, ['a']);
    let flushes = 0;
    for (let ms = 0; ms < 15_000; ms += 100) {
      if (!flushed(session.pass(100))) continue;
      flushes += 1;
      session.go({ kind: 'flushed', begunAt: session.clock.elapsed, result: { version: 1, unchanged: true } });
    }
    // It turns the lane into a waiting one.
    expect(flushes).toBe(1);
  });

  it('stores the pause that the receiver asked for apart from its own', () => {
    const session = aSession({ last: 1 });
    session.go({ kind: 'woken' });
    session.readTo(1, ['a']);
    const last = flushed(session.answer(1, 'a', attemptOf(429, 600_000)));
    const until = new Date(session.clock.now + 600_000);
    expect(last).toMatchObject({ retryAt: until, release: { notBefore: until, retryAfter: until } });
  });
});
