import { createLogger } from '@cardinal/runtime';
import { eventually } from '@cardinal/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keySet } from '../src/tokens/key-set.ts';
import { startIssuer } from './issuer.ts';
import { signingKey } from './keys.ts';

const maxAgeMs = 30_000;
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Keys of an issuer, and looks for one of them. */
const setUp = async () => {
  const issuer = await startIssuer();
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ service: 'gateway', level: 'warn', destination });
  const onChange = vi.fn();
  const keys = keySet({ TOKEN_ISSUER: issuer.url }, { maxAgeMs, logger, onChange });
  const look = (kid = issuer.conduct.keys[0]?.jwk.kid ?? '', alg = 'RS256') =>
    keys.keyOf({ alg, kid }, { payload: '', signature: '' });
  const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
  return { issuer, lines, onChange, keys, look, later };
};

/** Looks for so many keys that nobody has, at once. @returns how they ended */
const flood = async (look: (kid: string) => unknown, count: number): Promise<Record<string, number>> => {
  const ends = await Promise.allSettled(Array.from({ length: count }, (_, at) => look(`made-up-${at}`)));
  const codes = ends.map((end) => (end.status === 'rejected' ? String(end.reason.code) : 'found'));
  return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, some]) => [code, some.length]));
};

it('made-up keys have the issuer asked once in five seconds, also while it fails', async () => {
  const { issuer, look, later, keys } = await setUp();
  await look();
  expect(await flood(look, 300)).toEqual({ unavailable: 300 });
  expect(issuer.asked('/keys')).toBe(1);
  later(5_000);
  expect(await flood(look, 300)).toEqual({ ERR_JWKS_NO_MATCHING_KEY: 1, unavailable: 299 });
  expect(issuer.asked('/keys')).toBe(2);
  issuer.conduct.status.keys = 500;
  later(5_000);
  for (let round = 0; round < 20; round += 1) await flood(look, 5);
  expect(issuer.asked('/keys')).toBe(3);
  // Known keys are not affected.
  await look();
  later(maxAgeMs);
  for (let round = 0; round < 20; round += 1) await expect(keys.reachable()).rejects.toThrow('answers 500');
  expect(issuer.asked('/keys')).toBe(4);
});

it('a new key is found five seconds after the last look, and until then has to wait', async () => {
  const { issuer, look, later } = await setUp();
  await look();
  issuer.conduct.keys = [await signingKey('RS256')];
  await expect(look()).rejects.toMatchObject({ code: 'unavailable', http: { headers: { 'retry-after': '5' } } });
  later(4_001);
  await expect(look()).rejects.toMatchObject({ http: { headers: { 'retry-after': '1' } } });
  later(999);
  expect(await look()).toBeDefined();
  expect(issuer.asked('/keys')).toBe(2);
});

it('keys are read again at half their age, and stay valid for the other half while the issuer is away', async () => {
  const { issuer, lines, onChange, keys, look, later } = await setUp();
  await look();
  later(maxAgeMs / 2 - 1);
  await look();
  expect(issuer.asked('/keys')).toBe(1);
  expect(onChange).toHaveBeenCalledTimes(1);
  issuer.conduct.keys.push(await signingKey('RS256'));
  later(1);
  await look();
  // The request reached the issuer earlier than its answer came.
  await eventually(() => expect(onChange).toHaveBeenCalledTimes(2));
  expect(issuer.asked('/keys')).toBe(2);
  await keys.reachable();

  await issuer.stop();
  for (let second = 0; second < 30; second += 1) {
    later(999);
    await look();
  }
  await eventually(() => expect(lines).toHaveLength(1));
  later(1_000);
  await expect(look()).rejects.toThrow('TOKEN_ISSUER: nothing listens at');
  await expect(keys.reachable()).rejects.toThrow('TOKEN_ISSUER: nothing listens at');
});
