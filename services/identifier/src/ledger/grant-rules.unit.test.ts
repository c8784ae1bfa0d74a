import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grantOf, type Range } from './rules.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
const number = fc.integer({ min: 0, max: 1_000_000 });
const epoch = fc.integer({ min: 1, max: 4 });
const grantSize = fc.option(fc.integer({ min: 8, max: 1_000 }));

const ranges = fc
  .record({ granted_through: number, epoch, epoch_base: number, grant_size: grantSize, since: fc.integer({ max: 60 }) })
  .map(
    ({ since, ...range }): Range => ({
      ...range,
      granted_at: range.grant_size === null ? null : before(Math.abs(since)),
    }),
  );
/** A range and a grant of it, in its epoch or so much later. */
const grantIn = (range: Range, last_number: number, later: number): Range => {
  const granted = grantOf(range, { last_number, epoch: range.epoch + later, now });
  if (!granted) throw new Error('nothing was granted');
  return granted;
};

test('within an epoch there is room behind whatever is known to be issued, and no range shrinks', () => {
  fc.assert(
    fc.property(ranges, number, (range, last_number) => {
      const granted = grantIn(range, last_number, 0);
      expect(granted.granted_through).toBeGreaterThan(last_number);
      expect(granted.granted_through).toBeGreaterThanOrEqual(range.granted_through);
      expect(granted).toMatchObject({ epoch: range.epoch, epoch_base: range.epoch_base });
    }),
  );
});

test('a later epoch begins above everything that was ever granted, with one grant', () => {
  fc.assert(
    fc.property(ranges, number, (range, last_number) => {
      const granted = grantIn(range, last_number, 1);
      expect(granted).toMatchObject({ epoch: range.epoch + 1, epoch_base: range.granted_through });
      expect(granted.granted_through - granted.epoch_base).toBeGreaterThanOrEqual(8);
      expect(granted.granted_through - granted.epoch_base).toBeLessThanOrEqual(1_000);
    }),
  );
});

test('in an epoch that is over nothing is granted', () => {
  fc.assert(
    fc.property(ranges, number, (range, last_number) => {
      expect(grantOf(range, { last_number, epoch: range.epoch - 1, now })).toBeUndefined();
    }),
  );
});

test('asking again with the same numbers extends nothing', () => {
  fc.assert(
    fc.property(ranges, number, fc.integer({ min: 0, max: 1 }), (range, last_number, later) => {
      fc.pre(later === 0 || last_number <= range.granted_through);
      const granted = grantIn(range, last_number, later);
      expect(grantIn(granted, last_number, 0)).toEqual(granted);
    }),
  );
});

test.each([
  ['the first', null, null, 8],
  ['one after a short grant', 8, 9.9, 16],
  ['one after a grant of ten seconds', 64, 10, 64],
  ['one after a grant of an hour', 64, 3_601, 32],
  ['one after an hour of the smallest size', 8, 3_601, 8],
  ['one after the largest', 1_000, 0, 1_000],
  ['one after nearly the largest', 900, 0, 1_000],
])('%s has its size by use', (_, grant_size, seconds, expected) => {
  const granted_at = seconds === null ? null : before(seconds);
  const range = { granted_through: 500, epoch: 1, epoch_base: 0, grant_size, granted_at };
  expect(grantOf(range, { last_number: 500, epoch: 1, now })).toEqual({
    ...{ granted_through: 500 + expected, epoch: 1, epoch_base: 0 },
    ...{ grant_size: expected, granted_at: now },
  });
});
