import type { LoggedEvent } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import type { Item } from '../src/webhooks/lanes.ts';
import type { LeasedWebhook, WaitingLane } from '../src/webhooks/leases.ts';
import { begin, next } from '../src/webhooks/machine.ts';
import { type Caution, noCaution } from '../src/webhooks/pace.ts';
import type { Asked } from '../src/webhooks/reading.ts';
import type { Attempt } from '../src/webhooks/sender.ts';
import type { Progress } from '../src/webhooks/settle.ts';
import { type Action, LeaseLost, type Outcome, type State } from '../src/webhooks/state.ts';
import { attemptOf, eventOf, hungAttempt, leaseMs, webhookOf } from './support/machine.ts';

/** A turn whose actions the test carries out. */
const aTurn = (
  more: Partial<LeasedWebhook> = {},
  waiting: ReadonlyMap<string, WaitingLane> = new Map(),
  caution: Caution = noCaution,
) => {
  let state: State = begin(webhookOf(more), waiting, { leaseMs, elapsed: 0, caution });
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
    const page = { items, through: after + cards.length, last, lost: undefined };
    return go({ kind: 'asked', reply: { page, lanes: [], again: [], isOurs: true } });
  };
  const answer = (seq: number, card: string, attempt: Attempt) =>
    go({ kind: 'answered', lane: `card/${card}`, seq, attempt });
  return { go, pass, readTo, answer, item, clock, state: () => state };
};

const sent = (actions: readonly Action[]) =>
  actions.flatMap((action) => (action.kind === 'send' ? [action.item.event.seq] : []));
const written = (actions: readonly Action[]): Progress | undefined =>
  actions.flatMap((action) => (action.kind === 'write' ? [action.progress] : []))[0];
const asked = (actions: readonly Action[]): Asked | undefined =>
  actions.flatMap((action) => (action.kind === 'ask' ? [action.asked] : []))[0];

describe('a turn', () => {
  it('asks for what follows, sends the first of each card, and ends when that is done', () => {
    const turn = aTurn({ last: 3 });
    expect(asked(turn.go({ kind: 'woken' }))?.page).toEqual({ after: 0, until: undefined, last: 3 });
    expect(sent(turn.readTo(3, ['a', 'a', 'b']))).toEqual([1, 3]);
    expect(sent(turn.answer(1, 'a', attemptOf(200)))).toEqual([2]);
    expect(turn.answer(3, 'b', attemptOf(200))).toEqual([]);
    const last = written(turn.answer(2, 'a', attemptOf(200)));
    expect(last).toMatchObject({ position: 3, settled: [], waiting: [], rest: { notBefore: null } });
    expect(last?.deliveries.map(({ seq, attempt }) => [seq, attempt])).toEqual([1, 3, 2].map((seq) => [seq, 1]));
    expect(turn.go({ kind: 'written', begunAt: 0, settled: { version: 1, unchanged: true } })).toEqual([
      { kind: 'end' },
    ]);
  });

  it('passes what takes long, as a place in the log', () => {
    const turn = aTurn({ last: 3 });
    turn.go({ kind: 'woken' });
    turn.readTo(3, ['a', 'a', 'b']);
    turn.answer(3, 'b', attemptOf(200));
    expect(written(turn.pass(500))).toMatchObject({ position: 0, waiting: [] });
    turn.go({ kind: 'written', begunAt: 500, settled: { version: 1, unchanged: true } });
    expect(written(turn.pass(600))).toMatchObject({ position: 3, waiting: [{ lane: 'card/a', ranges: [[1, null]] }] });
  });

  it('does nothing where a log grows of which nothing can be sent, as all that is under way hangs', () => {
    const turn = aTurn({ last: 2 });
    turn.go({ kind: 'woken' });
    expect(sent(turn.readTo(2, ['a', 'b']))).toEqual([1, 2]);
    expect(turn.go({ kind: 'grew', last: 3 })).toEqual([]);
    expect(asked(turn.answer(1, 'a', attemptOf(200)))?.page).toMatchObject({ after: 2 });
  });

  it('tries a receiver that takes nothing one event at a time, and something new each five seconds', () => {
    const turn = aTurn({ last: 30 });
    turn.go({ kind: 'woken' });
    const cards = Array.from({ length: 30 }, (_, at) => `${at + 1}`);
    expect(sent(turn.readTo(30, cards))).toEqual([1, 2]);
    let last: Progress | undefined;
    for (let seq = 1; seq <= 6; seq += 1) last = written(turn.answer(seq, `${seq}`, attemptOf(500))) ?? last;
    expect(last?.rest?.notBefore).toEqual(new Date(turn.clock.now + 5_000));
  });

  it('looks again at no more than it has room for, while a receiver hangs', () => {
    const turn = aTurn({ last: 2 });
    turn.go({ kind: 'woken' });
    expect(sent(turn.readTo(2, ['a', 'b']))).toHaveLength(2);
    turn.pass(5_000);
    expect(asked(turn.go({ kind: 'grew', last: 60 }))?.page).toMatchObject({ after: 2 });
    const cards = Array.from({ length: 58 }, (_, at) => `${at}`);
    expect(sent(turn.readTo(60, cards, 2))).toHaveLength(1);
    // With each one that hangs the pause is longer.
    expect(asked(turn.pass(15_000))).toBeUndefined();
    expect(asked(turn.pass(5_000))?.again).toHaveLength(2);
  });

  it('tries a receiver that goes on to hang once a minute, what is new in turn with what failed', () => {
    const lane = { ranges: [[1, null] as const], attempts: 3, firstFailedAt: 0, dueAt: 0 };
    const waiting = new Map([['card/a', lane]]);
    const place = { position: 1, last: 2 };

    const failed = aTurn(place, waiting, { hungInRow: 4, isNewNext: false });
    const begunAt = failed.clock.now;
    expect(asked(failed.go({ kind: 'woken' }))).toMatchObject({ page: undefined, lanes: [{ lane: 'card/a' }] });
    const of = { lane: 'card/a', from: 1, through: 1, refused: undefined, lost: undefined };
    const part = { ...of, items: [failed.item(eventOf(1, 'a'))] };
    const reply = { page: undefined, lanes: [part], again: [], isOurs: true };
    expect(sent(failed.go({ kind: 'asked', reply }))).toEqual([1]);
    failed.pass(15_000);
    failed.go({ kind: 'written', begunAt: 0, settled: { version: 1, unchanged: true } });
    const last = written(failed.answer(1, 'a', hungAttempt)) ?? written(failed.pass(1));
    expect(last?.rest?.notBefore).toEqual(new Date(begunAt + 60_000));
    expect(failed.state()).toMatchObject({ hungInRow: 5, isNewNext: true });

    const fresh = aTurn(place, waiting, { hungInRow: 5, isNewNext: true });
    expect(asked(fresh.go({ kind: 'woken' }))).toMatchObject({ page: { after: 1 }, lanes: [] });
    expect(sent(fresh.readTo(2, ['b'], 1))).toEqual([2]);
    expect(fresh.state().isNewNext).toBe(false);
    // It takes one: all that waits may be sent.
    expect(asked(fresh.answer(2, 'b', attemptOf(200)))?.lanes).toHaveLength(1);
  });

  it('tries what failed where nothing new is to be sent', () => {
    const lane = { ranges: [[1, null] as const], attempts: 3, firstFailedAt: 0, dueAt: 0 };
    const turn = aTurn({ position: 1, last: 2 }, new Map([['card/a', lane]]), { hungInRow: 5, isNewNext: true });
    turn.go({ kind: 'woken' });
    const page = { items: [], through: 2, last: 2, lost: undefined };
    const reply = { page, lanes: [], again: [], isOurs: true };
    expect(asked(turn.go({ kind: 'asked', reply }))?.lanes).toHaveLength(1);
  });

  it('is as fast as ever with a receiver that fails without hanging', () => {
    const turn = aTurn({ last: 3 }, new Map(), { hungInRow: 7, isNewNext: false });
    turn.go({ kind: 'woken' });
    expect(sent(turn.readTo(3, ['a', 'b', 'c']))).toEqual([1]);
    expect(sent(turn.answer(1, 'a', attemptOf(500)))).toEqual([2, 3]);
  });

  it('that ends for others lets wait what was overtaken, so that the next one sends nothing twice', () => {
    const turn = aTurn({ last: 40 });
    const cardsOf = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`);
    turn.go({ kind: 'woken' });
    turn.clock.elapsed += 4_800;
    turn.readTo(40, cardsOf(1, 18));
    // With the first that it takes sixteen are sent at once.
    const actions = turn.answer(1, '1', attemptOf(200));
    expect(sent(actions)).toEqual(cardsOf(3, 17).map(Number));
    expect(asked(actions)?.page).toMatchObject({ after: 18 });
    turn.clock.now += 201;
    turn.clock.elapsed += 201;
    for (const seq of [2, 3, 4, 5]) turn.answer(seq, `${seq}`, attemptOf(200));
    // The eighteenth was seen too long ago.
    expect(sent(turn.readTo(40, cardsOf(19, 40), 18))).toEqual([19, 20, 21]);
    turn.clock.isCrowded = true;
    let last: Progress | undefined;
    for (const seq of [...cardsOf(6, 17), '19', '20', '21'].map(Number)) {
      last = written(turn.answer(seq, `${seq}`, attemptOf(200))) ?? last;
      if (turn.state().writing) turn.go({ kind: 'written', begunAt: 0, settled: { version: 1, unchanged: true } });
    }
    const page = undefined;
    last = written(turn.go({ kind: 'asked', reply: { page, lanes: [], again: [], isOurs: true } })) ?? last;
    expect(last).toMatchObject({ position: 21, waiting: [{ lane: 'card/18', ranges: [[18, null]] }] });
  });

  it('sends what it read, however long the answer took', () => {
    const turn = aTurn({ last: 1 });
    turn.go({ kind: 'woken' });
    turn.clock.now += 700;
    turn.clock.elapsed += 700;
    expect(sent(turn.readTo(1, ['a']))).toEqual([1]);
  });

  it('looks again at what it read a while ago, before it sends it, and says what is not to be sent', () => {
    const turn = aTurn({ last: 3 });
    turn.go({ kind: 'woken' });
    turn.readTo(3, ['a', 'a', 'a']);
    turn.clock.now += 700;
    const look = asked(turn.answer(1, 'a', attemptOf(200)));
    expect(look?.again.map(({ event }) => event.seq)).toEqual([2, 3]);
    const again = (look?.again ?? []).map(({ event }) => ({ event, item: undefined }));
    const last = written(turn.go({ kind: 'asked', reply: { page: undefined, lanes: [], again, isOurs: true } }));
    expect(last?.position).toBe(3);
    expect(last?.deliveries.map(({ seq, error }) => [seq, error])).toEqual([
      [1, null],
      [2, 'not sent: it is not for this webhook any more'],
      [3, 'not sent: it is not for this webhook any more'],
    ]);
  });

  it('begins nothing more of a webhook that somebody changed, or may have', () => {
    const changed = aTurn({ last: 2 });
    changed.go({ kind: 'woken' });
    const page = { items: [changed.item(eventOf(1, 'a'))], through: 2, last: 2, lost: undefined };
    const reply = { page, lanes: [], again: [], isOurs: false };
    expect(written(changed.go({ kind: 'asked', reply }))).toMatchObject({ position: 0 });

    const late = aTurn({ last: 2 });
    late.go({ kind: 'woken' });
    late.clock.elapsed += leaseMs;
    expect(sent(late.readTo(2, ['a', 'b']))).toEqual([]);
  });

  it('writes down once more what could not be written, and sends nothing new before', () => {
    const turn = aTurn({ last: 3 });
    turn.go({ kind: 'woken' });
    turn.readTo(3, ['a', 'b', 'b']);
    turn.answer(1, 'a', attemptOf(500));
    const first = written(turn.pass(300));
    expect(first?.deliveries.map(({ seq }) => seq)).toEqual([1]);
    const error = new Error('the database was away for a moment');
    expect(turn.go({ kind: 'failed', what: 'writing', error })).toEqual([]);
    expect(turn.answer(2, 'b', attemptOf(200))).toEqual([]);
    const again = written(turn.pass(2_000));
    expect(again?.deliveries.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(again).toMatchObject({ position: 2, waiting: [{ lane: 'card/a', ranges: [[1, null]] }] });
    turn.go({ kind: 'written', begunAt: turn.clock.elapsed, settled: { version: 1, unchanged: true } });
    expect(turn.state().failure).toBeUndefined();
  });

  it('ends with its error where what it came to cannot be written for as long as its lease lasts', () => {
    const turn = aTurn({ last: 1 });
    turn.go({ kind: 'woken' });
    turn.readTo(1, ['a']);
    const error = new Error('the database is away');
    let actions = turn.answer(1, 'a', attemptOf(200));
    let writes = 0;
    while (!actions.some(({ kind }) => kind === 'end')) {
      if (written(actions)) {
        writes += 1;
        actions = turn.go({ kind: 'failed', what: 'writing', error });
      } else actions = turn.pass(500);
    }
    expect(writes).toBe(15);
    expect(turn.clock.elapsed).toBe(leaseMs);
    expect(turn.state().failure).toBe(error);
  });

  it('ends with an error where its lease is another’s', () => {
    const turn = aTurn({ last: 0 });
    expect(written(turn.go({ kind: 'woken' }))).toBeDefined();
    expect(turn.go({ kind: 'written', begunAt: 0, settled: undefined })).toEqual([{ kind: 'end' }]);
    expect(turn.state().failure).toBeInstanceOf(LeaseLost);
  });

  it('renews its lease once while an attempt takes as long as it may', () => {
    const turn = aTurn({ last: 1 });
    turn.go({ kind: 'woken' });
    turn.readTo(1, ['a']);
    let writes = 0;
    for (let ms = 0; ms < 15_000; ms += 100) {
      if (!written(turn.pass(100))) continue;
      writes += 1;
      turn.go({ kind: 'written', begunAt: turn.clock.elapsed, settled: { version: 1, unchanged: true } });
    }
    // The one that has it wait.
    expect(writes).toBe(1);
  });

  it('keeps what the receiver asks for, beside what it rests for itself', () => {
    const turn = aTurn({ last: 1 });
    turn.go({ kind: 'woken' });
    turn.readTo(1, ['a']);
    const last = written(turn.answer(1, 'a', attemptOf(429, 600_000)));
    const until = new Date(turn.clock.now + 600_000);
    expect(last).toMatchObject({ retryAt: until, rest: { notBefore: until, retryAfter: until } });
  });
});
