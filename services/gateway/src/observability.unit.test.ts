import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { requestIdOf } from './observability.ts';

const idFor = (sent?: string) => requestIdOf({ headers: { 'x-request-id': sent } } as unknown as IncomingMessage);

describe('requestIdOf', () => {
  it.each(['a', 'A-z_0.9', 'r'.repeat(128)])('keeps %s', (id) => {
    expect(idFor(id)).toBe(id);
  });

  it.each([undefined, '', 'a b', 'a,b', 'é', '<script>', 'r'.repeat(129)])('makes one instead of %j', (id) => {
    expect(idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
