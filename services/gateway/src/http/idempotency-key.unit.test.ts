import { describe, expect, it } from 'vitest';
import { parseIdempotencyKey } from './idempotency-key.ts';

describe('parseIdempotencyKey', () => {
  it.each(['a', '!', '~', 'row-17/of"the\\file', 'k'.repeat(255)])('takes %s', (key) => {
    expect(parseIdempotencyKey(key)).toBe(key);
  });

  it.each([undefined, '', ' ', 'a b', 'a, b', 'é', '\x7f', 'a\t', 'k'.repeat(256)])('refuses %j', (key) => {
    expect(() => parseIdempotencyKey(key)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
