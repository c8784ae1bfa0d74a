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
/** Makes a grant of a range. @param later by how many epochs the grant is later than the range */
const grantIn = (range: Range, last_number: number, later: number): Range => {
  const granted = grantOf(range, { last_number, epoch: range.epoch + later, now });
  if (!granted) throw new Error('nothing was granted');
  return granted;
};

test('a grant within an epoch leaves room above the last number, and never shrinks the range', () => {
  fc.assert(
    fc.property(ranges, number, (range, last_number) => {
      const granted = grantIn(range, last_number, 0);
      expect(granted.granted_through).toBeGreaterThan(last_number);
      expect(granted.granted_through).toBeGreaterThanOrEqual(range.granted_through);
      expect(granted).toMatchObject({ epoch: range.epoch, epoch_base: range.epoch_base });
    }),
  );
});

test('the first grant of a later epoch begins above all earlier grants', () => {
  fc.assert(
    fc.property(ranges, number, (range, last_number) => {
      const granted = grantIn(range, last_number, 1);
      expect(granted).toMatchObject({ epoch: range.epoch + 1, epoch_base: range.granted_through });
      expect(granted.granted_through - granted.epoch_base).toBeGreaterThanOrEqual(8);
      expect(granted.granted_through - granted.epoch_base).toBeLessThanOrEqual(1_000);
    }),
  );
});

test('an earlier epoch gets no grant', () => {
  fc.assert(
    fc.property(ranges, number, (range, last_number) => {
      expect(grantOf(range, { last_number, epoch: range.epoch - 1, now })).toBeUndefined();
    }),
  );
});

test('a repeated request extends nothing', () => {
  fc.assert(
    fc.property(ranges, number, fc.integer({ min: 0, max: 1 }), (range, last_number, later) => {
      fc.pre(later === 0 || last_number <= range.granted_through);
      const granted = grantIn(range, last_number, later);
      expect(grantIn(granted, last_number, 0)).toEqual(granted);
    }),
  );
});

test.each([
  ['the first grant', null, null, 8],
  ['a grant after one that lasted less than five seconds', 8, 4.9, 32],
  ['a grant after one that lasted less than ten seconds', 8, 9.9, 16],
  ['a grant after one that lasted ten seconds', 64, 10, 64],
  ['a grant after one that lasted more than an hour', 64, 3_601, 32],
  ['a grant after one of the smallest size that lasted more than an hour', 8, 3_601, 8],
  ['a grant after one of the largest size', 1_000, 0, 1_000],
  ['a grant after one of nearly the largest size', 900, 0, 1_000],
])('the size of %s depends on use', (_, grant_size, seconds, expected) => {
  const granted_at = seconds === null ? null : before(seconds);
  const range = { granted_through: 500, epoch: 1, epoch_base: 0, grant_size, granted_at };
  expect(grantOf(range, { last_number: 500, epoch: 1, now })).toEqual({
    granted_through: 500 + expected,
    epoch: 1,
    epoch_base: 0,
    grant_size: expected,
    granted_at: now,
  });
});
