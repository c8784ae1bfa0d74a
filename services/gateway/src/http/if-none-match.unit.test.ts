import { describe, expect, it } from 'vitest';
import { alreadyHas } from './if-none-match.ts';

describe('alreadyHas', () => {
  it.each(['"3"', 'W/"3"', '"1", "3"', '"1",W/"3"', '*', ' * ', '"abc", "3"'])('%s has version 3', (header) => {
    expect(alreadyHas(header, 3)).toBe(true);
  });

  it.each(['"2"', 'W/"33"', '"03"', '"abc"', '""'])('%s lacks version 3', (header) => {
    expect(alreadyHas(header, 3)).toBe(false);
  });

  it.each(['3', '', '"3', '*, "3"'])('refuses %j', (header) => {
    expect(() => alreadyHas(header, 3)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
