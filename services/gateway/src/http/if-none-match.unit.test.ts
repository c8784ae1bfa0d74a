import { describe, expect, it } from 'vitest';
import { alreadyHas, parseIfNoneMatch } from './if-none-match.ts';

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
