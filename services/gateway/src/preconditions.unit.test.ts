import { describe, expect, it } from 'vitest';
import { alreadyHas, mismatchOf, parseIfMatch, parseIfNoneMatch } from './preconditions.ts';

describe('parseIfMatch', () => {
  it.each<[string, number[]]>([
    ['"1"', [1]],
    ['"1", "2"', [1, 2]],
    ['"1","2"', [1, 2]],
    [' "7"\t,, "8" ,', [7, 8]],
    ['"3", "3"', [3]],
    ['W/"3"', []],
    ['W/"3", "4"', [4]],
    ['W/"anything"', []],
    ['"one"', []],
    ['"-1"', []],
    ['"1.0"', []],
    ['""', []],
    ['"3-gzip"', []],
    ['"one", "2"', [2]],
    ['"0"', []],
    ['"007"', []],
    ['"9007199254740993"', []],
    ['"9007199254740991"', [Number.MAX_SAFE_INTEGER]],
  ])('%s names %j', (header, versions) => {
    expect(parseIfMatch(header)).toEqual(versions);
  });

  it.each(['', ' ', ',', '*', '1', '"1', '1"', 'w/"1"', '"1" "2"', '"1", *', "'1'", '" 1"'])('refuses %j', (header) => {
    expect(() => parseIfMatch(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});

describe('a 412', () => {
  it.each([
    ['W/"3"', 'W/"3" is a weak tag, which never matches; proxies that compress make that of "3": send "3"'],
    ['W/"2"', 'besides, the resource has changed since that version'],
    ['"2", W/"3"', 'W/"3" is a weak tag'],
    ['"3-gzip"', '"3-gzip" is no tag of this API; proxies that compress make that of "3": send "3"'],
    ['"3;br"', 'send "3"'],
    ['"3--gzip"', 'send "3"'],
    ['W/"3-gzip"', 'send "3"'],
    ['"one"', 'has "one", which no version has; send that of the resource, such as "3"'],
    ['""', 'has "", which no version has'],
    ['W/"anything"', 'which no version has'],
  ])('of %s says that the tag was changed', (header, words) => {
    expect(mismatchOf(header, 3)).toContain(words);
  });

  it.each(['"2"', '"2", "1"', 'W/"1", "2"'])('of %s says only that the resource has changed', (header) => {
    expect(mismatchOf(header, 3)).toBeUndefined();
  });
});

describe('If-None-Match', () => {
  it.each(['"3"', 'W/"3"', '"1", "3"', '"1",W/"3"', '*', ' * ', '"abc", "3"'])('%s has version 3', (header) => {
    expect(alreadyHas(parseIfNoneMatch(header), 3)).toBe(true);
  });

  it.each(['"2"', 'W/"33"', '"03"', '"abc"', '""'])('%s lacks version 3', (header) => {
    expect(alreadyHas(parseIfNoneMatch(header), 3)).toBe(false);
  });

  it.each(['3', '', '"3', '*, "3"'])('%j is refused', (header) => {
    expect(() => parseIfNoneMatch(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
