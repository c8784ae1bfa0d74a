import { expect, test } from 'vitest';
import { dispositionOf } from './disposition.ts';

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
