import { describe, expect, it } from 'vitest';
import { parseIfMatch } from './if-match.ts';

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
