import { expect, it } from 'vitest';
import { parseDuration } from './config.ts';

it.each([
  ['90s', 90],
  ['15m', 900],
  ['1h', 3600],
  ['30d', 2_592_000],
  ['0h', undefined],
  ['3600', 3600],
  ['1', 1],
  ['0', undefined],
  ['', undefined],
  ['3600.5', undefined],
  ['1e3', undefined],
  ['30dd', undefined],
  ['h', undefined],
  ['-1h', undefined],
  ['1.5h', undefined],
  ['1 h', undefined],
  ['1w', undefined],
])('%s is %s seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});
