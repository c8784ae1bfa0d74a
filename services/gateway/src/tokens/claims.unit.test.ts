import type { Scope } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { type ClaimRules, claimAt, highestRank, principalOf, rankOf } from './claims.ts';

describe('highestRank', () => {
  it.each<[string, number]>([
    ['kanban:read', rankOf('kanban:read')],
    ['kanban:read kanban:write', rankOf('kanban:write')],
    ['kanban:admin', rankOf('kanban:admin')],
    ['openid  kanban:admin profile', rankOf('kanban:admin')],
    ['kanban:write kanban:unheard', rankOf('kanban:write')],
    ['', 0],
    ['KANBAN:ADMIN kanban:adminx', 0],
  ])('of %j is %i', (claim, rank) => {
    expect(highestRank(claim.split(' '))).toBe(rank);
  });

  it('rises from read over write to admin', () => {
    expect(rankOf('kanban:read')).toBeLessThan(rankOf('kanban:write'));
    expect(rankOf('kanban:write')).toBeLessThan(rankOf('kanban:admin'));
  });
});

const workspace = '0199d000-0000-7000-8000-00000000000a';
const user = '0199d000-0000-7000-8000-00000000000b';
const rules: ClaimRules = {
  TOKEN_ISSUER: 'https://issuer.example',
  TOKEN_WORKSPACE_CLAIM: 'workspace_id',
  TOKEN_USER_CLAIM: 'sub',
  TOKEN_NAME_CLAIM: 'name',
  TOKEN_EMAIL_CLAIM: 'email',
  TOKEN_SCOPE_CLAIMS: ['scope'],
  TOKEN_SCOPE_MAP: new Map<string, Scope>(),
  TOKEN_IDS: 'uuid',
};
const claims = { workspace_id: workspace, sub: user, scope: 'kanban:read' };

describe('claimAt', () => {
  it.each<[string, unknown, unknown]>([
    ['tid', { tid: 'a' }, 'a'],
    ['https://cardinal.example/workspace', { 'https://cardinal.example/workspace': 'a' }, 'a'],
    ['extn.workspace', { 'extn.workspace': 'a' }, 'a'],
    ['realm_access.roles', { realm_access: { roles: ['a'] } }, ['a']],
    ['resource_access.my.client.roles', { resource_access: { 'my.client': { roles: ['a'] } } }, ['a']],
    ['a.b', { 'a.b': 1, a: { b: 2 } }, 1],
    ['a.b.c', { 'a.b': {}, a: { 'b.c': 2 } }, 2],
    ['a.b', { a: 'text' }, undefined],
    ['a.b', { a: null }, undefined],
    ['a', {}, undefined],
    ['constructor', {}, undefined],
    ['a.constructor', { a: {} }, undefined],
    ['.', { '': 1 }, undefined],
  ])('%j of %j is %j', (path, object, expected) => {
    expect(claimAt(object, path)).toEqual(expected);
  });
});

describe('the user and workspace of a token', () => {
  it('are the UUIDs that it names, under either rule for ids', () => {
    for (const ids of ['uuid', 'any'] as const) {
      const named = { ...claims, workspace_id: workspace.toUpperCase(), sub: user.toUpperCase() };
      expect(principalOf(named, { ...rules, TOKEN_IDS: ids })).toEqual({
        caller: { workspace_id: workspace, user_id: user },
        key: `${workspace}|${user}`,
        rank: rankOf('kanban:read'),
      });
    }
  });

  it('are UUIDs of version 5 for other texts, which differ by issuer and by each letter', () => {
    const idOf = (sub: string, issuer = rules.TOKEN_ISSUER) =>
      principalOf({ ...claims, sub }, { ...rules, TOKEN_ISSUER: issuer, TOKEN_IDS: 'any' }).caller.user_id;
    // Made apart from this code: python3 -c 'from uuid import *; print(uuid5(uuid5(NAMESPACE_URL, "https://issuer.example"), "auth0|5f7c8ec7"))'
    expect(idOf('auth0|5f7c8ec7')).toBe('18409650-040b-5bd0-993b-728dba326b55');
    const others = ['auth0|5F7C8EC7', 'auth0|5f7c8ec7 ', 'ada'].map((sub) => idOf(sub));
    const all = [...others, idOf('auth0|5f7c8ec7', 'https://issuer.example/'), idOf('auth0|5f7c8ec7')];
    expect(new Set(all).size).toBe(5);
    expect(idOf('ada')).toBe(idOf('ada'));
  });

  it('may be the only entry of a list', () => {
    expect(principalOf({ ...claims, workspace_id: [workspace] }, rules).caller.workspace_id).toBe(workspace);
  });

  it.each<[string, object, Partial<ClaimRules>]>([
    ['workspace_id', { workspace_id: undefined }, {}],
    ['workspace_id', { workspace_id: [workspace, user] }, { TOKEN_IDS: 'any' }],
    ['workspace_id', { workspace_id: [] }, { TOKEN_IDS: 'any' }],
    ['workspace_id', { workspace_id: 7 }, { TOKEN_IDS: 'any' }],
    ['workspace_id', { workspace_id: 'acme' }, {}],
    ['sub', { sub: 'ada' }, {}],
    ['sub', { sub: '' }, { TOKEN_IDS: 'any' }],
    ['sub', { sub: 'a'.repeat(256) }, { TOKEN_IDS: 'any' }],
    ['sub', { sub: 'half a \ud800' }, { TOKEN_IDS: 'any' }],
    ['oid', { oid: undefined }, { TOKEN_USER_CLAIM: 'oid' }],
    ['scope', { scope: 7 }, {}],
    ['scope', { scope: ['kanban:read', 7] }, {}],
    ['scope', { scope: null }, {}],
  ])('is nobody where the claim %s is wrong: %j', (name, wrong, change) => {
    expect(() => principalOf({ ...claims, ...wrong }, { ...rules, ...change })).toThrow(`the claim "${name}" `);
  });
});

describe('what a token calls its user', () => {
  const named = { name: ' Maria Silva ', email: 'Maria@Example.com' };
  const maria = { name: 'Maria Silva', email: 'maria@example.com' };
  it.each<[object, Partial<ClaimRules>, object | undefined]>([
    [{}, {}, undefined],
    [{ ...named, iat: 1_800_000_000 }, {}, { ...maria, issued_at: '2027-01-15T08:00:00.000Z' }],
    [named, {}, { ...maria, issued_at: null }],
    [{ ...named, email_verified: false }, {}, { ...maria, email: null, issued_at: null }],
    [{ name: '', email: 'nobody' }, {}, undefined],
    [{ name: ['Maria'], email: 7 }, {}, undefined],
    [
      { profile: { full: 'Maria' }, upn: 'maria@x' },
      { TOKEN_NAME_CLAIM: 'profile.full', TOKEN_EMAIL_CLAIM: 'upn' },
      { name: 'Maria', email: 'maria@x', issued_at: null },
    ],
  ])('%j', (said, change, expected) => {
    expect(principalOf({ ...claims, ...said }, { ...rules, ...change }).claims).toEqual(expected);
  });
});

describe('what a token may', () => {
  const scopeOf = new Map<string, Scope>([
    ['/staff', 'kanban:write'],
    ['Cardinal admins', 'kanban:admin'],
  ]);
  it.each<[unknown, number]>([
    [{}, 0],
    [{ scope: 'openid kanban:read' }, 1],
    [{ scope: ['openid', 'kanban:write'] }, 2],
    [{ groups: ['/staff'] }, 2],
    [{ scope: 'kanban:read', groups: ['/staff', 'Cardinal admins'] }, 3],
    [{ groups: 'Cardinal admins' }, 0],
    [{ groups: ['staff', 'cardinal admins'] }, 0],
    [{ roles: ['kanban:admin'] }, 0],
  ])('%j has rank %i', (scopes, rank) => {
    const more = { ...claims, scope: undefined, ...(scopes as object) };
    expect(
      principalOf(more, { ...rules, TOKEN_SCOPE_CLAIMS: ['scope', 'groups'], TOKEN_SCOPE_MAP: scopeOf }).rank,
    ).toBe(rank);
  });
});
