import { expect, it, onTestFinished, vi } from 'vitest';
import { parseDuration, readConfig } from './config.ts';

it.each([
  ['90s', 90],
  ['15m', 900],
  ['1h', 3600],
  ['30d', 2_592_000],
  ['0h', undefined],
  ['3600', 3600],
  ['1', 1],
  ['0', undefined],
  ['', undefined],
  ['3600.5', undefined],
  ['1e3', undefined],
  ['30dd', undefined],
  ['h', undefined],
  ['-1h', undefined],
  ['1.5h', undefined],
  ['1 h', undefined],
  ['1w', undefined],
])('%s is %s seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

it.each(['JWKS_URL', 'JWKS_FILE', 'TOKEN_ISSUER'])(
  '%s names keys beside which the development key is not trusted',
  (name) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv(name, 'https://issuer.example');
    expect(readConfig().tokens.keysFrom).toBe(name);
  },
);
