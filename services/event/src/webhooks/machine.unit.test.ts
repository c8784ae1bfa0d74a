import type { LoggedEvent } from '@cardinal/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Item, laneOf } from './lanes.ts';
import type { LeasedWebhook, Progress, WaitingLane } from './leases.ts';
import { begin, LeaseLost, next } from './machine.ts';
import type { Asked, Reply } from './reading.ts';
import type { Attempt } from './sender.ts';
import type { Action, Outcome, State } from './state.ts';

const leaseMs = 30_000;
const eventOf = (seq: number, card: string): LoggedEvent => ({
  ...{ seq, id: `event ${seq}`, type: 'card.updated', card_id: card, board_id: null, other_board_id: null },
  text: `${seq}`,
});
const webhookOf = (more: Partial<LeasedWebhook> = {}): LeasedWebhook => ({
  ...{ workspace_id: 'w', id: 'h', version: 1, url: 'https://receiver.invalid/', types: [], board_id: null },
  ...{ state: 'active', failing_since: null, secret: '', former_secret: null, former_secret_until: null },
  ...{
    position: 0,
    replay_until: null,
    replay_position: null,
    created_by: 'u',
    lease_id: 'l',
    retry_at: null,
    last: 0,
  },
  ...more,
});
const attemptOf = (status: number | null, retryAfterMs?: number): Attempt => ({
  ...{ status, error: status === 200 ? null : 'no', answer: null, milliseconds: 1, retryAfterMs },
});

/** A turn whose actions the test carries out. */
const aTurn = (more: Partial<LeasedWebhook> = {}, waiting: ReadonlyMap<string, WaitingLane> = new Map()) => {
  let state: State = begin(webhookOf(more), waiting, { leaseMs, elapsed: 0 });
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
  const item = (event: LoggedEvent): Item => ({ event, text: event.text, seenAt: clock.now });
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
    const turn = aTurn({ last: 16 });
    turn.go({ kind: 'woken' });
    expect(sent(turn.readTo(16, 'abcdefghijklmnop'.split('')))).toHaveLength(16);
    expect(turn.go({ kind: 'grew', last: 17 })).toEqual([]);
    expect(asked(turn.answer(1, 'a', attemptOf(200)))?.page).toMatchObject({ after: 16 });
  });

  it('tries a receiver that takes nothing one event at a time, and something new each five seconds', () => {
    const turn = aTurn({ last: 30 });
    turn.go({ kind: 'woken' });
    const cards = Array.from({ length: 30 }, (_, at) => `${at + 1}`);
    turn.readTo(30, cards);
    for (let seq = 1; seq <= 16; seq += 1) turn.answer(seq, `${seq}`, attemptOf(500));
    // What was begun before it was known.
    const more = [...turn.state().lanes].filter(([, { sentAt }]) => sentAt !== undefined).map(([key]) => key.slice(5));
    let last: Progress | undefined;
    for (const card of more) last = written(turn.answer(Number(card), card, attemptOf(500))) ?? last;
    expect(last?.rest?.notBefore).toEqual(new Date(turn.clock.now + 5_000));
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

  it('that could not write down what failed writes nothing later that passes over it', () => {
    const turn = aTurn({ last: 2 });
    turn.go({ kind: 'woken' });
    turn.readTo(2, ['a', 'b']);
    turn.answer(1, 'a', attemptOf(500));
    expect(written(turn.pass(300))).toBeDefined();
    const error = new Error('the database was away for a moment');
    expect(turn.go({ kind: 'failed', what: 'writing', error })).toEqual([]);
    expect(turn.answer(2, 'b', attemptOf(200))).toEqual([{ kind: 'end' }]);
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

/** What a world may do next. */
const choice = fc.record({
  what: fc.constantFrom('answer', 'answer', 'answer', 'pass', 'grow', 'crash', 'stop'),
  which: fc.nat(100),
  ms: fc.constantFrom(1, 90, 250, 1_100, 6_000),
  status: fc.constantFrom(200, 200, 500, null),
});
type Choice = typeof choice extends fc.Arbitrary<infer T> ? T : never;

/**
 * One webhook, a log, and a database that knows what was written down: turns follow each other, break off and go on, and
 * their actions end in any order.
 */
const aWorld = (cards: readonly string[], replay: readonly [number, number] | undefined) => {
  const log: LoggedEvent[] = [];
  const stored = { position: 0, replay: undefined as undefined | { position: number; until: number } };
  const waiting = new Map<string, WaitingLane>();
  const taken: LoggedEvent[] = [];
  const clock = { now: 1_000_000, elapsed: 0, isCrowded: false };
  const underWay: Action[] = [];
  let state: State | undefined;
  const problems: string[] = [];
  const mustBeTaken = new Set<number>();

  const grow = () => {
    const seq = log.length + 1;
    log.push(eventOf(seq, cards[seq % cards.length] ?? 'a'));
    mustBeTaken.add(seq);
  };
  const isCovered = (seq: number, ranges: WaitingLane['ranges'], reach: number) =>
    ranges.some(([from, until]) => from <= seq && seq <= (until ?? reach));
  /** What may not be passed: everything before the positions was taken, or waits. */
  const check = () => {
    const { position, replay: again } = stored;
    for (const event of log.slice(0, position)) {
      if (again && again.position < event.seq && event.seq <= again.until) continue;
      const ranges = waiting.get(laneOf(event))?.ranges ?? [];
      if (mustBeTaken.has(event.seq) && !isCovered(event.seq, ranges, stored.position)) {
        problems.push(`${event.seq} was passed`);
      }
    }
  };
  const start = () => {
    const { position, replay: again } = stored;
    const more = { replay_position: again?.position ?? null, replay_until: again?.until ?? null };
    const webhook = webhookOf({ position, ...more, last: log.length, retry_at: waiting.size > 0 ? new Date(0) : null });
    state = begin(webhook, new Map(waiting), { leaseMs, elapsed: clock.elapsed });
    go({ kind: 'woken' });
  };
  const go = (outcome: Outcome) => {
    if (!state) return;
    const step = next(state, outcome, { ...clock, random: 0.5 });
    state = step.state;
    for (const action of step.actions) {
      if (action.kind === 'end') {
        state = undefined;
        underWay.length = 0;
        return;
      }
      if (action.kind === 'send') {
        const isTwo = underWay.some((one) => one.kind === 'send' && one.lane === action.lane);
        if (isTwo) problems.push(`two of ${action.lane} at once`);
      }
      underWay.push(action);
    }
  };
  const itemOf = (event: LoggedEvent): Item => ({ event, text: event.text, seenAt: clock.now });
  const pageOf = ({ after, until }: NonNullable<Asked['page']>) => {
    const through = Math.max(after, Math.min(until ?? log.length, after + 5));
    return { items: log.slice(after, through).map(itemOf), through, last: log.length, lost: undefined };
  };
  const reply = ({ page, lanes, again }: Asked): Reply => {
    return {
      page: page && pageOf(page),
      lanes: lanes.map(({ lane, range: [from, last] }) => {
        const events = log.slice(from - 1, last).filter((event) => laneOf(event) === lane);
        const some = events.slice(0, 2);
        const through = events.length > 2 ? (some.at(-1)?.seq ?? last) : last;
        return { lane, from, through, items: some.map(itemOf), refused: undefined, lost: undefined };
      }),
      again: again.map(({ event }) => ({ event, item: itemOf(event) })),
      isOurs: true,
    };
  };
  const store = ({ position, replayPosition, settled, waiting: lanes, change }: Progress) => {
    if (position !== undefined) stored.position = position;
    if (replayPosition !== undefined && stored.replay) stored.replay.position = replayPosition;
    if (change?.endsReplay) stored.replay = undefined;
    for (const lane of settled) waiting.delete(lane);
    for (const { lane, ranges, attempts, firstFailedAt, dueAt } of lanes) {
      waiting.set(lane, { ranges, attempts, firstFailedAt, dueAt });
    }
    check();
  };
  /** Ends one of the actions under way. */
  const finish = (which: number, status: number | null) => {
    const [action] = underWay.splice(which % Math.max(underWay.length, 1), 1);
    if (!action) return go({ kind: 'woken' });
    if (action.kind === 'ask') return go({ kind: 'asked', reply: reply(action.asked) });
    if (action.kind === 'write') {
      store(action.progress);
      const settled = { version: 1, unchanged: action.progress.change?.state === undefined };
      return go({ kind: 'written', begunAt: clock.elapsed, settled });
    }
    if (action.kind !== 'send') return;
    const { event } = action.item;
    if (status === 200) {
      const isFirst = mustBeTaken.delete(event.seq);
      const before = [...mustBeTaken].filter((seq) => seq < event.seq && log[seq - 1]?.card_id === event.card_id);
      if (isFirst && before.length > 0) problems.push(`${event.seq} was taken before ${before}`);
      taken.push(event);
    }
    return go({ kind: 'answered', lane: action.lane, seq: event.seq, attempt: attemptOf(status) });
  };
  const passTime = (ms: number) => {
    clock.now += ms;
    clock.elapsed += ms;
    go({ kind: 'woken' });
  };
  const doOne = ({ what, which, ms, status }: Choice) => {
    if (what === 'grow') {
      grow();
      go({ kind: 'grew', last: log.length });
    } else if (what === 'pass') passTime(ms);
    else if (what === 'crash') {
      // What it sent is heard by nobody.
      [state, underWay.length] = [undefined, 0];
    } else if (what === 'stop') go({ kind: 'stop' });
    else finish(which, status);
    if (!state) start();
  };
  const isDone = () => mustBeTaken.size === 0 && stored.position === log.length && waiting.size === 0 && !stored.replay;
  /** The receiver takes everything from now on. */
  const drain = () => {
    for (let round = 0; round < 5_000 && !(isDone() && !state); round += 1) {
      if (!state) {
        clock.now += 7 * 3_600_000;
        start();
      }
      if (underWay.length > 0) finish(0, 200);
      else passTime(7 * 3_600_000);
    }
  };

  for (let at = 0; at < 12; at += 1) grow();
  if (replay) {
    stored.position = 12;
    const [one, other] = replay;
    const [after, until] = [Math.min(one, other), Math.max(one, other)];
    if (until > after) stored.replay = { position: after, until };
    for (const seq of [...mustBeTaken]) if (seq <= after || seq > until) mustBeTaken.delete(seq);
  }
  start();
  return { doOne, drain, problems, isDone, left: () => [...mustBeTaken], taken };
};

describe('whatever happens', () => {
  const cards = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 6 });
  const replay = fc.option(fc.tuple(fc.nat(12), fc.nat(12)), { nil: undefined });

  it('each card comes in order, never two of one at once, nothing is lost, and no position passes what was not sent', () => {
    fc.assert(
      fc.property(cards, replay, fc.array(choice, { maxLength: 80 }), (names, again, choices) => {
        const world = aWorld(names, again);
        for (const one of choices) world.doOne(one);
        world.drain();
        expect(world.problems).toEqual([]);
        expect({ left: world.left(), isDone: world.isDone() }).toEqual({ left: [], isDone: true });
      }),
      { numRuns: 300 },
    );
  });
});
