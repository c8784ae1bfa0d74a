import { expect, it } from 'vitest';
import { createVault, newSecret, validSecrets } from './secrets.ts';

const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];

it('opens a sealed secret for the same webhook only, and seals differently each time', () => {
  const vault = createVault(first);
  const sealed = vault.seal('whsec_x', 'one');
  expect(vault.open(sealed, 'one')).toBe('whsec_x');
  expect(sealed).not.toBe(vault.seal('whsec_x', 'one'));
  expect(Buffer.from(sealed.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('whsec');
  expect(() => vault.open(sealed, 'another')).toThrow();
  // Not the last character: two of its bits are padding.
  const broken = sealed.replace(/\.(.)/, (_, one: string) => `.${one === 'A' ? 'B' : 'A'}`);
  expect(() => vault.open(broken, 'one')).toThrow();
});

it('opens secrets sealed with the accepted key, and distinguishes them by their prefix', () => {
  const sealed = createVault(first).seal('whsec_x', 'one');
  const next = createVault(second, first);
  expect(next.open(sealed, 'one')).toBe('whsec_x');
  expect(sealed.startsWith(next.prefix)).toBe(false);
  expect(next.seal('whsec_x', 'one').startsWith(next.prefix)).toBe(true);
  expect(() => createVault(second).open(sealed, 'one')).toThrow('neither current nor accepted');
});

it('creates unique secrets of 32 bytes', () => {
  const secrets = new Set(Array.from({ length: 100 }, newSecret));
  expect(secrets.size).toBe(100);
  for (const secret of secrets) expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
});

it('signs with the former secret too until it expires', () => {
  const until = new Date('2030-01-02T00:00:00Z');
  const secrets = { secret: 'new', former_secret: 'old', former_secret_until: until };
  expect(validSecrets(secrets, new Date('2030-01-01T23:59:59Z'))).toEqual(['new', 'old']);
  expect(validSecrets(secrets, until)).toEqual(['new']);
  expect(validSecrets({ ...secrets, former_secret: null }, new Date(0))).toEqual(['new']);
});
