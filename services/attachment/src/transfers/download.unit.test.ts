import { expect, test } from 'vitest';
import { dispositionOf, isKnown, rangeOf } from './download.ts';

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

test('a name cannot leave its place in the header', () => {
  expect(dispositionOf('a"; filename=b\r\nX-Evil: 1.html', false)).toBe(
    'attachment; filename="a_; filename=b__X-Evil: 1.html"; filename*=UTF-8\'\'a%22%3B%20filename%3Db__X-Evil%3A%201.html',
  );
});

test('a name beyond ASCII keeps its letters', () => {
  expect(dispositionOf("Größe (1)'s 😀.png", true)).toBe(
    "inline; filename=\"Gr__e (1)'s __.png\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%281%29%27s%20%F0%9F%98%80.png",
  );
});

test.each(['../../etc/passwd', '..\\..\\boot.ini', 'C:\\x/y', 'a\0b', 'photo\u202egnp.exe'])(
  'the name %j is that of a file in one folder, which ends as it reads',
  (name) => {
    const [, ascii = '', utf8 = ''] =
      /filename="([^"]*)"; filename\*=UTF-8''(.*)$/.exec(dispositionOf(name, false)) ?? [];
    for (const text of [ascii, decodeURIComponent(utf8)]) {
      expect(text).not.toMatch(/[/\\\0\u202e]/);
      expect(text).toHaveLength(name.length);
    }
  },
);

test('the longest name fits into a header', () => {
  expect(dispositionOf('😀'.repeat(255), false).length).toBeLessThan(4_096);
});
