import { type FeedChange, type FeedOwner, feedOwners, type PulledFeed } from '@cardinal/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brokenFeeds, merge, type Position, type Positions, type PulledFeeds } from './merge.ts';

const workspace_id = '00000000-0000-7000-8000-000000000000';
const begin: Position = { seq: 0, id: null };
const beginnings = (): Positions => Object.fromEntries(feedOwners.map((owner) => [owner, begin])) as Positions;

/** A feed with appends at these times, one change or more each. */
const feedOf = (owner: FeedOwner, appends: readonly { noted_at: number; size: number }[]): FeedChange[] => {
  const moments = appends.flatMap(({ noted_at, size }) => Array.from({ length: size }, () => noted_at));
  return moments.map((noted_at, at) => ({
    seq: at + 1,
    id: `${owner} ${at + 1}`,
    previous_id: at === 0 ? null : `${owner} ${at}`,
    noted_at,
    type: 'card.updated',
    card_id: null,
    board_id: null,
    other_board_id: null,
    event: '{}',
  }));
};

interface Pull {
  /** The owner's clock. */
  clock: number;
  /** Most changes in the answer. */
  room: number;
  /** A writer is open: the next change has its time, and is not visible yet. */
  isBusy: boolean;
}

/** The owner's answer (`serveFeed` of libs/service). */
const pull = (feed: readonly FeedChange[], after: number, { clock, room, isBusy }: Pull): PulledFeed => {
  const there = feed.filter(({ noted_at }) => noted_at < clock);
  const last = there.at(-1);
  const changes = there.slice(after, after + room);
  const isCut = after + room < there.length;
  const end = isCut ? changes.at(-1) : last;
  const complete_to = isCut || isBusy ? (end ? end.noted_at + 1 : 0) : clock;
  return { workspace_id, last: last?.seq ?? 0, last_id: last?.id ?? null, complete_to, changes };
};

const appends = fc
  .array(fc.record({ pause: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 4 }) }), { maxLength: 8 })
  .map((rows) => {
    let noted_at = 0;
    return rows.map(({ pause, size }) => {
      noted_at += pause;
      return { noted_at, size };
    });
  });
const byOwner = <Value>(value: fc.Arbitrary<Value>) =>
  fc.record(Object.fromEntries(feedOwners.map((owner) => [owner, value])) as Record<FeedOwner, fc.Arbitrary<Value>>);
/** Rounds in which the owners' clocks differ. */
const rounds = fc.array(
  byOwner(
    fc.record({ clock: fc.integer({ min: 0, max: 30 }), room: fc.integer({ min: 0, max: 5 }), isBusy: fc.boolean() }),
  ),
  { maxLength: 12 },
);

describe('the order of the log', () => {
  it('is by time, owner and number, however rounds cut the feeds', () => {
    fc.assert(
      fc.property(byOwner(appends), rounds, (noted, cuts) => {
        const feeds = Object.fromEntries(feedOwners.map((owner) => [owner, feedOf(owner, noted[owner])]));
        const clocks = Object.fromEntries(feedOwners.map((owner) => [owner, 0]));
        let positions = beginnings();
        const log: string[] = [];
        const round = (pulls: Record<FeedOwner, Pull>) => {
          const pulled = Object.fromEntries(
            feedOwners.map((owner) => {
              clocks[owner] = Math.max(clocks[owner] ?? 0, pulls[owner].clock);
              const at = { ...pulls[owner], clock: clocks[owner] ?? 0 };
              return [owner, pull(feeds[owner] ?? [], positions[owner].seq, at)];
            }),
          ) as PulledFeeds;
          expect(brokenFeeds(positions, pulled)).toEqual([]);
          const merged = merge(positions, pulled);
          positions = merged.positions;
          log.push(...merged.changes.map(({ id }) => id));
          return merged;
        };
        for (const pulls of cuts) round(pulls);
        const all = { clock: 1_000, room: 1_000, isBusy: false };
        const { isMore } = round(
          Object.fromEntries(feedOwners.map((owner) => [owner, all])) as Record<FeedOwner, Pull>,
        );
        expect(isMore).toBe(false);
        const expected = feedOwners
          .flatMap((owner, rank) => (feeds[owner] ?? []).map((change) => ({ ...change, rank })))
          .sort((one, other) => one.noted_at - other.noted_at || one.rank - other.rank || one.seq - other.seq);
        expect(log).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns: 2_000 },
    );
  });

  it('continues where an answer was cut within changes of one time, and reports that more is left', () => {
    const quiet = { clock: 9, room: 10, isBusy: false };
    const feed = feedOf('card', [{ noted_at: 5, size: 3 }]);
    const later = feedOf('dependency', [{ noted_at: 5, size: 1 }]);
    const pulled = {
      identifier: pull([], 0, quiet),
      card: pull(feed, 0, { ...quiet, room: 2 }),
      dependency: pull(later, 0, quiet),
      attachment: pull([], 0, quiet),
    };
    const { changes, positions, isMore } = merge(beginnings(), pulled);
    expect(changes.map(({ id }) => id)).toEqual(['card 1', 'card 2']);
    expect(positions.card).toEqual({ seq: 2, id: 'card 2' });
    expect(isMore).toBe(true);
  });
});

describe('a feed that does not continue from the log', () => {
  const at = (seq: number): Position => ({ seq, id: `card ${seq}` });
  const quiet = { clock: 9, room: 10, isBusy: false };
  const feed = feedOf('card', [{ noted_at: 5, size: 4 }]);
  const other = feed.map((change) => ({
    ...change,
    id: `another ${change.seq}`,
    previous_id: `another ${change.seq - 1}`,
  }));
  const brokenAt = (position: Position, card: PulledFeed) => {
    const none = pull([], 0, quiet);
    const feeds = { identifier: none, card, dependency: none, attachment: none };
    return brokenFeeds({ ...beginnings(), card: position }, feeds).length > 0;
  };
  it.each([
    ['follows from the beginning', begin, pull(feed, 0, quiet), false],
    ['follows a position', at(2), pull(feed, 2, quiet), false],
    ['has nothing new', at(4), pull(feed, 4, quiet), false],
    ['found no room in the answer', at(2), pull(feed, 2, { ...quiet, room: 0 }), false],
    ['is shorter than the log', at(5), pull(feed, 5, quiet), true],
    ['is as long and another one', at(4), pull(other, 4, quiet), true],
    ['is longer and another one', at(2), pull(other, 2, quiet), true],
    ['begins too late', begin, { ...pull(feed, 0, quiet), changes: feed.slice(1) }, true],
    [
      'lacks a change in the middle',
      begin,
      { ...pull(feed, 0, quiet), changes: feed.filter(({ seq }) => seq !== 2) },
      true,
    ],
    ['lacks what it says to have', at(2), { ...pull(feed, 2, quiet), changes: [] }, true],
  ])('%s', (_, position, pulled, isBroken) => {
    expect(brokenAt(position, pulled)).toBe(isBroken);
  });
});
