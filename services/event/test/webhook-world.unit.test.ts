import type { LoggedEvent } from '@cardinal/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Item, laneOf } from '../src/webhooks/lanes.ts';
import type { WaitingLane } from '../src/webhooks/leases.ts';
import { begin, next } from '../src/webhooks/machine.ts';
import { type Caution, noCaution } from '../src/webhooks/pace.ts';
import type { Asked, Reply } from '../src/webhooks/reading.ts';
import type { Progress } from '../src/webhooks/settle.ts';
import type { Action, Outcome, State } from '../src/webhooks/state.ts';
import { attemptOf, eventOf, hungAttempt, leaseMs, webhookOf } from './support/machine.ts';

/** What a world may do next. */
const choice = fc.record({
  what: fc.constantFrom('answer', 'answer', 'answer', 'pass', 'grow', 'crash', 'stop', 'crowd'),
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
  let caution: Caution = noCaution;
  /** Something was taken, and is not written down. */
  let mayRepeat = replay !== undefined;
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
    state = begin(webhook, new Map(waiting), { leaseMs, elapsed: clock.elapsed, caution });
    go({ kind: 'woken' });
  };
  const go = (outcome: Outcome) => {
    if (!state) return;
    const step = next(state, outcome, { ...clock, random: 0.5 });
    state = step.state;
    for (const action of step.actions) {
      if (action.kind === 'end') {
        caution = state;
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
  const itemOf = (event: LoggedEvent): Item => ({ event, text: event.text });
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
    const error = new Error('the database was away for a moment');
    if (action.kind === 'ask') {
      if (status === null) return go({ kind: 'failed', what: 'asking', error });
      return go({ kind: 'asked', reply: reply(action.asked) });
    }
    if (action.kind === 'write') {
      // Nobody knows of a write that failed whether it was done.
      if (status !== null || which % 2 === 0) store(action.progress);
      if (status === null) {
        mayRepeat = true;
        return go({ kind: 'failed', what: 'writing', error });
      }
      const settled = { version: 1, unchanged: action.progress.change?.state === undefined };
      return go({ kind: 'written', begunAt: clock.elapsed, settled });
    }
    if (action.kind !== 'send') return;
    const { event } = action.item;
    if (status === 200) {
      const isFirst = mustBeTaken.delete(event.seq);
      const before = [...mustBeTaken].filter((seq) => seq < event.seq && log[seq - 1]?.card_id === event.card_id);
      if (isFirst && before.length > 0) problems.push(`${event.seq} was taken before ${before}`);
      // It was given up: the last write is under way.
      if (state?.isEnding) mayRepeat = true;
      if (!mayRepeat && taken.includes(event)) problems.push(`${event.seq} was taken twice`);
      taken.push(event);
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
      // What it sent is heard by nobody.
      [state, underWay.length, mayRepeat] = [undefined, 0, true];
    } else if (what === 'crowd') clock.isCrowded = !clock.isCrowded;
    else if (what === 'stop') go({ kind: 'stop' });
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

  it('each card comes in order, nothing is lost, sent twice at once, or taken twice where no turn breaks off', () => {
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
