import { describe, expect, it } from 'vitest';
import { alreadyHas, parseIfMatch, parseIfNoneMatch } from './preconditions.ts';

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
    ['"0"', []],
    ['"007"', []],
    ['"9007199254740993"', []],
    ['"9007199254740991"', [Number.MAX_SAFE_INTEGER]],
  ])('%s names %j', (header, versions) => {
    expect(parseIfMatch(header)).toEqual(versions);
  });

  it.each([
    '',
    ' ',
    ',',
    '*',
    '1',
    '"1',
    '1"',
    '"one"',
    '"-1"',
    '"1.0"',
    '""',
    'w/"1"',
    '"1" "2"',
    '"1", *',
    "'1'",
    '" 1"',
  ])('refuses %j', (header) => {
    expect(() => parseIfMatch(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
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
