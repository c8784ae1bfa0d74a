import { expect, it } from 'vitest';
import { restAfter } from './admission.ts';

it.each([
  [0, 0],
  [65_536, 0],
  [65_537, 5],
  [1_048_576, 75],
])('the bytes of an answer of %i still count for %i ms', (bytes, ms) => {
  expect(restAfter(bytes, { RATE_LIMIT_MAX: 2_000, RATE_LIMIT_WINDOW_MS: 10_000 })).toBe(ms);
});
