import { crc32 } from 'node:zlib';
import { Document, documentOf, replyOf } from '@cardinal/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openPage, pageBytes, sortKey } from './pages.ts';

const workspace = '0198c0de-0000-7000-8000-000000000001';
const id = '0198c0de-0000-7000-8000-0000000000ab';
const scope = ['cards', workspace, { q: 'Füße "\\' }] as const;
const keys = [sortKey.id, sortKey.position, sortKey.count, sortKey.moment] as const;
const values = [id, -0.15, 7, '2026-01-02T03:04:05.678Z'] as const;

const cursorOf = (of: readonly [string, string, ...unknown[]] = scope) =>
  openPage(of, keys, { limit: 1 }).cut([1, 2], String, () => [...values]).head.next_cursor ?? '';
const open = (cursor: string) => openPage(scope, keys, { limit: 1, cursor });
const refused = expect.objectContaining({ code: 'invalid_request', message: 'The cursor is not one of this list' });

const refuses = (cursor: string) => void expect(() => open(cursor)).toThrow(refused);

const contentOf = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString());
const pack = (text: string) => Buffer.from(text).toString('base64url');
/** Forges a cursor of this list. @param said its values in JSON */
const forge = (said: string[]) => {
  const [list] = contentOf(cursorOf());
  return pack(`[${JSON.stringify(list)},${crc32(`[${said}]`)}${said.map((one) => `,${one}`).join('')}]`);
};
const truths = values.map((value) => JSON.stringify(value));

describe('a cursor', () => {
  it('returns its values, and fits into a query parameter without escapes', () => {
    const cursor = cursorOf();
    expect(open(cursor).after).toEqual(values);
    expect(forge(truths)).toBe(cursor);
    expect(encodeURIComponent(cursor)).toBe(cursor);
  });

  it.each([
    ['of another list', cursorOf(['boards', workspace, { q: 'Füße "\\' }])],
    ['of another workspace', cursorOf(['cards', id, { q: 'Füße "\\' }])],
    ['with other filters', cursorOf(['cards', workspace, { q: 'Füße' }])],
    ['empty', ''],
    ['of other characters', '[]'],
    ['that is no JSON', 'x'],
    ['that is no list', pack('{"a":1}')],
    ['that is null', pack('null')],
    ['with nothing in it', pack('[]')],
    ['of bytes that are no text', Buffer.from([0xff, 0xfe]).toString('base64url')],
    ['of 1,025 characters', 'A'.repeat(1025)],
    ['with padding', `${cursorOf()}=`],
    ['with spaces in it', pack(JSON.stringify(contentOf(cursorOf()), null, 1))],
    ['with a key too many', forge([...truths, '1'])],
    ['with a key too few', forge(truths.slice(1))],
    ['with no keys', forge([])],
    ['nested deeply', pack('['.repeat(700))],
    ['with a prototype of its own', pack(`{"__proto__":["${contentOf(cursorOf())[0]}"],"length":6}`)],
  ])('%s is refused', (_, cursor) => {
    expect(() => open(cursor)).toThrow(refused);
  });

  const hostile = {
    id: ['null', '1', '""', '"x"', `"${id}x"`, `"${id.toUpperCase()}"`, '"{}"', '[]', '{}', `["${id}"]`, '"\\u0000"'],
    position: ['null', '"1"', '1e999', '-1e999', 'NaN', 'Infinity', '[1]', '{}', 'true', '"NaN"', '{"__proto__":1}'],
    count: ['null', '"1"', '0', '-1', '1.5', '1e999', '1e16', '9007199254740993', 'true', '[1]', '1.0'],
    moment: [
      ...[
        'null',
        '1',
        '""',
        '"now"',
        '"infinity"',
        '"2026-01-02"',
        '"2026-13-01T00:00:00.000Z"',
        '"2026-02-30T00:00:00.000Z"',
      ],
      ...['"+275760-09-13T00:00:00.000Z"', '"-000001-01-01T00:00:00.000Z"', '"0000-01-01T00:00:00.000Z"'],
      ...['"2026-01-02T03:04:05Z"', '"2026-01-02T03:04:05.678+00:00"', '"9999-12-31T23:59:59.999-14:00"', '[]', '{}'],
    ],
  };
  const forgeries = Object.entries(hostile).flatMap(([key, lies], at) => lies.map((lie) => [key, lie, at] as const));
  it.each(forgeries)('forged with the %s %s is refused', (_, lie, at) => {
    expect(() => open(forge(truths.with(at, lie)))).toThrow(refused);
  });

  it('with any character changed is refused', () => {
    const cursor = cursorOf();
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_='), (at, character) => {
        fc.pre(cursor[at] !== character);
        expect(() => open(cursor.slice(0, at) + character + cursor.slice(at + 1))).toThrow(refused);
      }),
    );
  });

  it('of arbitrary text is refused', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => refuses(text)));
    fc.assert(fc.property(fc.json(), (text) => refuses(pack(text))));
  });
});

describe('a page', () => {
  /** Texts whose JSON is up to six times as long, from nothing to more than a page. */
  const text = fc
    .tuple(fc.constantFrom('', 'a', '\u0001', 'ß', '😀', '"'), fc.constantFrom(0, 1, 1_000, 40_000, 180_000, 400_000))
    .map(([character, count]) => character.repeat(count));

  it('ends at its limit or before 1 MiB, and pages hold every item once, in order', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), fc.integer({ min: 1, max: 100 }), (texts, limit) => {
        const list = texts.map((value, index) => ({ value, index: index + 1 }));
        const seen: typeof list = [];
        let cursor: string | undefined;
        do {
          const page = openPage(['l', workspace], [sortKey.count], { limit, cursor });
          const rest = list.slice(page.after?.[0] ?? 0);
          const document = page.cut(
            rest.slice(0, limit + 1),
            // Some of them are documents already.
            (row) => (row.index % 2 ? row : documentOf(row)),
            ({ index }) => [index],
          );
          const { items, next_cursor } = replyOf(document) as { items: typeof list; next_cursor: string | null };
          const room = pageBytes - Buffer.byteLength(JSON.stringify(items));
          expect(items.length === 1 || room >= 0).toBe(true);
          const following = rest[items.length];
          expect(next_cursor !== null).toBe(following !== undefined);
          if (following) {
            const wouldFit = items.length < limit && Buffer.byteLength(JSON.stringify(following)) + 2 < room;
            expect(wouldFit, 'the page ends too early').toBe(false);
          }
          seen.push(...items);
          cursor = next_cursor ?? undefined;
        } while (cursor);
        expect(seen.map(({ index }) => index)).toEqual(list.map(({ index }) => index));
      }),
      { numRuns: 40 },
    );
  });

  it('without items is the last one', () => {
    expect(openPage(scope, keys, { limit: 1 }).cut([], String, () => [...values])).toEqual(
      new Document({ next_cursor: null }, '[]'),
    );
  });
});
