import { expect, it } from 'vitest';
import { orderOf, readDate } from './dates.ts';

const utc = { zone: 'UTC', order: 'mdy' } as const;
const berlin = { zone: 'Europe/Berlin', order: 'dmy' } as const;

it.each([
  ['25/Feb/26 10:17 PM', utc, '2026-02-25T22:17:00.000Z'],
  ['29/Jan/23 12:00 AM', utc, '2023-01-29T00:00:00.000Z'],
  ['29/Jan/23 12:05 PM', utc, '2023-01-29T12:05:00.000Z'],
  ['30/Jul/18 23:33', berlin, '2018-07-30T21:33:00.000Z'],
  ['11/May/24', berlin, '2024-05-10T22:00:00.000Z'],
  ['6/21/2025 16:14', utc, '2025-06-21T16:14:00.000Z'],
  ['6/7/2025 4:14 PM', berlin, '2025-07-06T14:14:00.000Z'],
  ['24.12.2025 18:00', utc, '2025-12-24T18:00:00.000Z'],
  ['Wed May 13 2026 11:21:41 GMT+0200 (GMT+02:00)', berlin, '2026-05-13T09:21:41.000Z'],
  ['2026-05-13T11:21:41.250Z', berlin, '2026-05-13T11:21:41.250Z'],
  ['2026-05-13T11:21:41+0530', utc, '2026-05-13T05:51:41.000Z'],
  ['2026-05-13 11:21', berlin, '2026-05-13T09:21:00.000Z'],
  ['2026-05-13', utc, '2026-05-13T00:00:00.000Z'],
  ['Jan 29, 2023, 9:00 AM', utc, '2023-01-29T09:00:00.000Z'],
  // The hour that a spring day lacks, and the first after it.
  ['29/Mar/26 03:30', berlin, '2026-03-29T01:30:00.000Z'],
])('reads %s', (text, rules, expected) => {
  expect(readDate(text, rules)).toBe(expected);
});

it.each(['yesterday', '31/Feb/24', '13/13/2025', '31/Foo/24', '2026-05-13T', '1/2', ''])('refuses %j', (text) => {
  expect(readDate(text, utc)).toBeUndefined();
});

it('finds out from a sample whether the day or the month comes first', () => {
  expect(orderOf(['6/7/2025', '6/21/2025 16:14'])).toBe('mdy');
  expect(orderOf(['6/7/2025', '21/6/2025'])).toBe('dmy');
  expect(orderOf(['6/7/2025', '24.12.2025', '25/Feb/26'])).toBeUndefined();
});
