import type { Workstream } from '@cardinal/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grantOf } from './rules.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const active: Partial<Workstream> = { prefix: 'WEB', archived_at: null };
const workstream = active as Workstream;
const number = fc.integer({ min: 0, max: 1_000_000 });
const ranges = fc.record({ granted_through: number, highest_number: number, last_number: number });

test('there is room behind whatever is known to be issued, and no range shrinks', () => {
  fc.assert(
    fc.property(ranges, (range) => {
      const granted = grantOf({ workstream, ...range });
      expect(granted.granted_through).toBeGreaterThan(Math.max(range.highest_number, range.last_number));
      expect(granted.granted_through).toBeGreaterThanOrEqual(range.granted_through);
      expect(granted).toMatchObject({ granted_before: range.granted_through, highest_number: range.highest_number });
    }),
  );
});

test('asking again with the same numbers extends nothing', () => {
  fc.assert(
    fc.property(ranges, (range) => {
      const { granted_through } = grantOf({ workstream, ...range });
      expect(grantOf({ workstream, ...range, granted_through }).granted_through).toBe(granted_through);
    }),
  );
});

test('the range of an archived workstream stays as it is', () => {
  fc.assert(
    fc.property(ranges, (range) => {
      const archived = { ...workstream, archived_at: now.toISOString() };
      expect(grantOf({ workstream: archived, ...range }).granted_through).toBe(range.granted_through);
    }),
  );
});
