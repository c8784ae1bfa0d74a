import { expect, test } from 'vitest';
import { isKnown, rangeOf } from './byte-range.ts';

const asked = (range?: string, ifRange?: string) => rangeOf({ range, 'if-range': ifRange }, '"a"', 100);

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=10-', { start: 10, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
])('%s is one part', (range, part) => {
  expect(asked(range)).toEqual(part);
});

test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s is beyond the end', (range) => {
  expect(asked(range)).toBeNull();
});

test.each([undefined, '', 'bytes', 'bytes=', 'bytes=x-y', 'bytes=5-1', 'bytes=200-100', 'bytes=0-1,5-6', 'lines=100-'])(
  '%s is all of it',
  (range) => {
    expect(asked(range)).toBeUndefined();
  },
);

test('a range counts only for what it was asked of', () => {
  expect(asked('bytes=0-0', '"a"')).toEqual({ start: 0, end: 0 });
  expect(asked('bytes=0-0', '"b"')).toBeUndefined();
  expect(asked('bytes=0-0', 'W/"a"')).toBeUndefined();
  expect(asked('bytes=0-0', 'Sat, 21 Nov 2026 12:31:40 GMT')).toBeUndefined();
});

test('a client that has it says so', () => {
  expect(['"a"', 'W/"a"', '"b", "a"', '*'].map((header) => isKnown(header, '"a"'))).toEqual([true, true, true, true]);
  expect([undefined, '"b"', 'a'].map((header) => isKnown(header, '"a"'))).toEqual([false, false, false]);
});
