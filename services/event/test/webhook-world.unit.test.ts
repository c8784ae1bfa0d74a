import type { LoggedEvent } from '@cardinal/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { begin } from '../src/webhooks/begin.ts';
import type { Progress } from '../src/webhooks/flush.ts';
import { type Item, laneOf } from '../src/webhooks/lanes.ts';
import type { WaitingLane } from '../src/webhooks/leases.ts';
import { next } from '../src/webhooks/machine.ts';
import { type Breaker, closedBreaker } from '../src/webhooks/pace.ts';
import type { ReadReply, ReadRequest } from '../src/webhooks/reading.ts';
import type { Action, Outcome, State } from '../src/webhooks/state.ts';
import { attemptOf, eventOf, hungAttempt, leaseMs, webhookOf } from './support/machine.ts';

/** A random step of the world. */
const choice = fc.record({
  what: fc.constantFrom('answer', 'answer', 'answer', 'pass', 'grow', 'crash', 'stop', 'crowd'),
  which: fc.nat(100),
  ms: fc.constantFrom(1, 90, 250, 1_100, 6_000),
  status: fc.constantFrom(200, 200, 500, null),
});
type Choice = typeof choice extends fc.Arbitrary<infer T> ? T : never;

/**
 * A simulation of one webhook, its log, its receiver and the database that flushes go to. Sessions follow each other and break off,
 * and their actions end in any order. Violations of the guarantees are collected in `problems`.
 */
const aWorld = (cards: readonly string[], replay: readonly [number, number] | undefined) => {
  const log: LoggedEvent[] = [];
  const stored = { position: 0, replay: undefined as undefined | { position: number; until: number } };
  const waiting = new Map<string, WaitingLane>();
  const delivered: LoggedEvent[] = [];
  const clock = { now: 1_000_000, elapsed: 0, isCrowded: false };
  const inFlight: Action[] = [];
  let state: State | undefined;
  let breaker: Breaker = closedBreaker;
  /** An event may have been delivered without a flush, so it may be sent again. */
  let mayRepeat = replay !== undefined;
  const problems: string[] = [];
  const undelivered = new Set<number>();

  const grow = () => {
    const seq = log.length + 1;
    log.push(eventOf(seq, cards[seq % cards.length] ?? 'a'));
    undelivered.add(seq);
  };
  const isCovered = (seq: number, ranges: WaitingLane['ranges'], reach: number) =>
    ranges.some(([from, until]) => from <= seq && seq <= (until ?? reach));
  /** Checks the stored state: every event up to the positions was delivered, or is in a waiting lane. */
  const check = () => {
    const { position, replay } = stored;
    for (const event of log.slice(0, position)) {
      if (replay && replay.position < event.seq && event.seq <= replay.until) continue;
      const ranges = waiting.get(laneOf(event))?.ranges ?? [];
      if (undelivered.has(event.seq) && !isCovered(event.seq, ranges, stored.position)) {
        problems.push(`${event.seq} was skipped`);
      }
    }
  };
  const start = () => {
    const { position, replay } = stored;
    const webhook = webhookOf({
      position,
      replay_position: replay?.position ?? null,
      replay_until: replay?.until ?? null,
      last: log.length,
      retry_at: waiting.size > 0 ? new Date(0) : null,
    });
    state = begin(webhook, new Map(waiting), { leaseMs, elapsed: clock.elapsed, breaker });
    go({ kind: 'woken' });
  };
  const go = (outcome: Outcome) => {
    if (!state) return;
    const step = next(state, outcome, { ...clock, random: 0.5 });
    state = step.state;
    for (const action of step.actions) {
      if (action.kind === 'end') {
        breaker = state;
        state = undefined;
        inFlight.length = 0;
        return;
      }
      if (action.kind === 'send') {
        const isTwo = inFlight.some((one) => one.kind === 'send' && one.lane === action.lane);
        if (isTwo) problems.push(`two of ${action.lane} at once`);
      }
      inFlight.push(action);
    }
  };
  const itemOf = (event: LoggedEvent): Item => ({ event, text: event.text });
  const pageOf = ({ after, until }: NonNullable<ReadRequest['page']>) => {
    const through = Math.max(after, Math.min(until ?? log.length, after + 5));
    return { items: log.slice(after, through).map(itemOf), through, last: log.length, missing: undefined };
  };
  const reply = ({ page, lanes, recheck }: ReadRequest): ReadReply => {
    return {
      page: page && pageOf(page),
      lanes: lanes.map(({ lane, range: [from, last] }) => {
        const events = log.slice(from - 1, last).filter((event) => laneOf(event) === lane);
        const some = events.slice(0, 2);
        const through = events.length > 2 ? (some.at(-1)?.seq ?? last) : last;
        return { lane, from, through, items: some.map(itemOf), excluded: undefined, missing: undefined };
      }),
      rechecked: recheck.map(({ event }) => ({ event, item: itemOf(event) })),
      isStillLeased: true,
    };
  };
  const store = ({ position, replayPosition, cleared, waiting: lanes, change }: Progress) => {
    if (position !== undefined) stored.position = position;
    if (replayPosition !== undefined && stored.replay) stored.replay.position = replayPosition;
    if (change?.endsReplay) stored.replay = undefined;
    for (const lane of cleared) waiting.delete(lane);
    for (const { lane, ranges, attempts, firstFailedAt, dueAt } of lanes) {
      waiting.set(lane, { ranges, attempts, firstFailedAt, dueAt });
    }
    check();
  };
  /** Finishes one of the actions under way. */
  const finish = (which: number, status: number | null) => {
    const [action] = inFlight.splice(which % Math.max(inFlight.length, 1), 1);
    if (!action) return go({ kind: 'woken' });
    const error = new Error('the database was away for a moment');
    if (action.kind === 'read') {
      if (status === null) return go({ kind: 'failed', what: 'read', error });
      return go({ kind: 'read', reply: reply(action.request) });
    }
    if (action.kind === 'flush') {
      // A failed flush may have been applied or not.
      if (status !== null || which % 2 === 0) store(action.progress);
      if (status === null) {
        mayRepeat = true;
        return go({ kind: 'failed', what: 'flush', error });
      }
      const result = { version: 1, unchanged: action.progress.change?.state === undefined };
      return go({ kind: 'flushed', begunAt: clock.elapsed, result });
    }
    if (action.kind !== 'send') return;
    const { event } = action.item;
    if (status === 200) {
      const isFirst = undelivered.delete(event.seq);
      const before = [...undelivered].filter((seq) => seq < event.seq && log[seq - 1]?.card_id === event.card_id);
      if (isFirst && before.length > 0) problems.push(`${event.seq} was delivered before ${before}`);
      // The session gave the attempt up: its last flush is under way.
      if (state?.isEnding) mayRepeat = true;
      if (!mayRepeat && delivered.includes(event)) problems.push(`${event.seq} was delivered twice`);
      delivered.push(event);
    }
    const attempt = status === null ? hungAttempt : attemptOf(status);
    return go({ kind: 'answered', lane: action.lane, seq: event.seq, attempt });
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
      // The outcomes of its actions are lost.
      [state, inFlight.length, mayRepeat] = [undefined, 0, true];
    } else if (what === 'crowd') clock.isCrowded = !clock.isCrowded;
    else if (what === 'stop') go({ kind: 'stop' });
    else finish(which, status);
    if (!state) start();
  };
  const isDone = () => undelivered.size === 0 && stored.position === log.length && waiting.size === 0 && !stored.replay;
  /** Runs until everything is delivered: the receiver accepts all from now on. */
  const drain = () => {
    for (let round = 0; round < 5_000 && !(isDone() && !state); round += 1) {
      if (!state) {
        clock.now += 7 * 3_600_000;
        start();
      }
      if (inFlight.length > 0) finish(0, 200);
      else passTime(7 * 3_600_000);
    }
  };

  for (let at = 0; at < 12; at += 1) grow();
  if (replay) {
    stored.position = 12;
    const [one, other] = replay;
    const [after, until] = [Math.min(one, other), Math.max(one, other)];
    if (until > after) stored.replay = { position: after, until };
    for (const seq of [...undelivered]) if (seq <= after || seq > until) undelivered.delete(seq);
  }
  start();
  return { doOne, drain, problems, isDone, left: () => [...undelivered] };
};

describe('a series of delivery sessions', () => {
  const cards = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 6 });
  const replay = fc.option(fc.tuple(fc.nat(12), fc.nat(12)), { nil: undefined });

  it('delivers each card in order, loses nothing, sends no event twice at once, and repeats none unless a session breaks off', () => {
    fc.assert(
      fc.property(cards, replay, fc.array(choice, { maxLength: 80 }), (names, range, choices) => {
        const world = aWorld(names, range);
        for (const one of choices) world.doOne(one);
        world.drain();
        expect(world.problems).toEqual([]);
        expect({ left: world.left(), isDone: world.isDone() }).toEqual({ left: [], isDone: true });
      }),
      { numRuns: 300 },
    );
  });
});
