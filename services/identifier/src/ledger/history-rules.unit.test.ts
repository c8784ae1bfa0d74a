import fc from 'fast-check';
import { expect, test } from 'vitest';
import { historyOf, type IssuedNumber } from './rules.ts';

const user = '01930000-0000-7000-8000-00000000000a';

const issuedAt = (card_version: number, prefix: string, number: number, time: string): IssuedNumber => ({
  prefix,
  number,
  workstream: { id: user, name: prefix, prefix },
  card_version,
  assigned_at: new Date(time),
  assigned_by: user,
});

const first = issuedAt(1, 'MAIN', 4, '2026-01-01T00:00:00.000Z');
const second = issuedAt(3, 'WEB', 1, '2026-01-02T00:00:00.000Z');
const third = issuedAt(4, 'MAIN', 9, '2026-01-03T00:00:00.000Z');

test('each entry is superseded when the next one was assigned', () => {
  const history = historyOf([third, first, second], 'MAIN-9');
  expect(history?.map(({ identifier, is_current, superseded_at }) => [identifier, is_current, superseded_at])).toEqual([
    ['MAIN-4', false, second.assigned_at.toISOString()],
    ['WEB-1', false, third.assigned_at.toISOString()],
    ['MAIN-9', true, null],
  ]);
});

test('what was issued after the current identifier was read is left out', () => {
  const history = historyOf([first, second, third], 'WEB-1');
  expect(history?.map(({ identifier, is_current, superseded_at }) => [identifier, is_current, superseded_at])).toEqual([
    ['MAIN-4', false, second.assigned_at.toISOString()],
    ['WEB-1', true, null],
  ]);
});

test('the order is that of the versions, also where a clock went back', () => {
  const early = issuedAt(2, 'WEB', 2, '2025-01-01T00:00:00.000Z');
  expect(historyOf([early, first], 'WEB-2')?.map((entry) => entry.identifier)).toEqual(['MAIN-4', 'WEB-2']);
});

test('a current identifier that was never issued gives no history', () => {
  expect(historyOf([first], 'MAIN-5')).toBeUndefined();
  expect(historyOf([], 'MAIN-5')).toBeUndefined();
});

test('whatever is current, exactly the last entry is', () => {
  const arbitrary = fc
    .uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1 })
    .chain((versions) => fc.record({ versions: fc.constant(versions), current: fc.constantFrom(...versions) }));
  fc.assert(
    fc.property(arbitrary, ({ versions, current }) => {
      const issued = versions.map((version) => issuedAt(version, 'WEB', version, '2026-01-01T00:00:00.000Z'));
      const history = historyOf(issued, `WEB-${current}`) ?? [];
      expect(history.filter((entry) => entry.is_current)).toEqual([history.at(-1)]);
      expect(history.at(-1)).toMatchObject({ identifier: `WEB-${current}`, superseded_at: null });
      expect(history).toHaveLength(versions.filter((version) => version <= current).length);
    }),
  );
});
