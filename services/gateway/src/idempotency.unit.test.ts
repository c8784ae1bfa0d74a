import { uuid } from '@cardinal/contracts';
import { validate, version } from 'uuid';
import { describe, expect, it } from 'vitest';
import { commandIdOf, fingerprintOf, parseIdempotencyKey } from './idempotency.ts';

const owner = {
  workspace_id: '00000000-0000-7000-8000-000000000001',
  user_id: '00000000-0000-7000-8000-000000000002',
};

describe('commandIdOf', () => {
  it('is a UUID of version 8, whatever the key', () => {
    for (let n = 0; n < 200; n += 1) {
      const id = commandIdOf(owner, 'createBoard', `key-${n}`);
      expect(validate(id) && version(id)).toBe(8);
      expect(uuid.parse(id)).toBe(id);
    }
  });

  it('is the same in every release', () => {
    expect(commandIdOf(owner, 'createBoard', 'key')).toBe('7fb00d89-8c64-80d6-b944-b582eebff011');
  });

  it('differs by key, operation, user and workspace', () => {
    const ids = [
      commandIdOf(owner, 'createBoard', 'key'),
      commandIdOf(owner, 'createBoard', 'KEY'),
      commandIdOf(owner, 'archiveBoard', 'key'),
      commandIdOf(owner, 'createCard', 'key'),
      commandIdOf({ ...owner, user_id: owner.workspace_id }, 'createBoard', 'key'),
      commandIdOf({ ...owner, workspace_id: owner.user_id }, 'createBoard', 'key'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

const request = { method: 'POST', path: '/boards', ifMatch: undefined, body: { name: 'a', visibility: 'workspace' } };

describe('fingerprintOf', () => {
  it('is a SHA-256 in hex, the same in every release', () => {
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

describe('parseIdempotencyKey', () => {
  it.each(['a', '!', '~', 'row-17/of"the\\file', 'k'.repeat(255)])('takes %s', (key) => {
    expect(parseIdempotencyKey(key)).toBe(key);
  });

  it.each([undefined, '', ' ', 'a b', 'a, b', 'é', '\x7f', 'a\t', 'k'.repeat(256)])('refuses %j', (key) => {
    expect(() => parseIdempotencyKey(key)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
