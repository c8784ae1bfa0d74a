import { describe, expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';

const request = { method: 'POST', path: '/boards', ifMatch: undefined, body: { name: 'a', visibility: 'workspace' } };

describe('fingerprintOf', () => {
  it('is a SHA-256 in hex that stays what it is, over releases', () => {
    expect(fingerprintOf(request)).toBe('3730f194f9e3c9fcfcaea8e72a05229ccdefbbd0316844de1b7c4cf25a8891d5');
  });

  it('does not depend on the order of keys, at any depth', () => {
    const body = (json: string) => fingerprintOf({ ...request, body: JSON.parse(json) });
    expect(body('{"a":{"b":1,"c":[{"d":1,"e":2}]},"f":2}')).toBe(
      body('{ "f": 2, "a": {"c":[{"e":2,"d":1}],"b":1.0} }'),
    );
  });

  it('differs by method, path, If-Match and body', () => {
    const fingerprints = [
      request,
      { ...request, method: 'PATCH' },
      { ...request, path: '/boards/' },
      { ...request, ifMatch: '"1"' },
      { ...request, ifMatch: '"2"' },
      { ...request, body: { name: 'a' } },
      { ...request, body: { name: 'a ', visibility: 'workspace' } },
      { ...request, body: ['a', 'b'] },
      { ...request, body: ['b', 'a'] },
      { ...request, body: null },
      { ...request, body: undefined },
      { ...request, body: '' },
    ].map(fingerprintOf);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
  });
});
