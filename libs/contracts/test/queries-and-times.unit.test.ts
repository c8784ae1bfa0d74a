import { expect, it } from 'vitest';
import { cardFilters, pageQuery, timestamp } from '../src/index.ts';

it.each([
  ['2030-01-01t00:00:00z', '2030-01-01T00:00:00.000Z'],
  ['2030-01-01T00:00:00+14:00', '2029-12-31T10:00:00.000Z'],
  ['2030-01-01t00:00:00.9999999-00:30', '2030-01-01T00:30:00.999Z'],
  ['1990-12-31T23:59:60Z', '1991-01-01T00:00:00.000Z'],
  ['1990-12-31T15:59:60.5-08:00', '1991-01-01T00:00:00.500Z'],
])('the time %s is %s', (sent, kept) => {
  expect(timestamp.parse(sent)).toBe(kept);
});

it.each([
  '2030-01-01',
  '2030-01-01 00:00:00Z',
  '2030-01-01T00:00:00',
  '2030-02-30T00:00:00Z',
  '2030-01-01T24:00:00Z',
  '2030-01-01T12:00:60Z',
  '2030-01-02T23:59:60Z',
  '2030-01-31T23:59:60',
  '2030-01-31T23:59:61Z',
  ':60',
  '',
])('%j is no time', (sent) => {
  expect(timestamp.safeParse(sent).success).toBe(false);
});

it.each(['0x10', '1e1', '+5', '-5', '05', ' 5', '5 ', '5.0', '5\n', '٥', '', '0', '101', ['5'], ['5', '6']])(
  'limit=%j is refused',
  (limit) => {
    expect(pageQuery.safeParse({ limit }).success).toBe(false);
  },
);

it('limit is 1 to 100, and 50 by default', () => {
  expect([pageQuery.parse({ limit: '1' }), pageQuery.parse({ limit: '100' }), pageQuery.parse({})]).toEqual([
    { limit: 1 },
    { limit: 100 },
    { limit: 50 },
  ]);
});

it('q is kept unchanged, up to 240 characters', () => {
  for (const q of ['  ', ' a ', '😀'.repeat(240)]) expect(cardFilters.parse({ q }).q).toBe(q);
  for (const q of ['', 'a'.repeat(241), '\0', '\ud800', ['a', 'b']]) {
    expect(cardFilters.safeParse({ q }).success).toBe(false);
  }
});
