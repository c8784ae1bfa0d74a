import { createLogger } from '@cardinal/runtime';
import { eventually } from '@cardinal/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keySet } from '../src/tokens/key-set.ts';
import { startIssuer } from './issuer.ts';
import { signingKey } from './keys.ts';

const maxAgeMs = 30_000;
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

it('keys are read again at half their age, and stay valid for the other half while the issuer is away', async () => {
  const issuer = await startIssuer();
  const lines: string[] = [];
  const logger = createLogger({
    service: 'gateway',
    level: 'warn',
    destination: { write: (line) => lines.push(line) },
  });
  const onChange = vi.fn();
  const keys = keySet({ TOKEN_ISSUER: issuer.url }, { maxAgeMs, logger, onChange });
  const { kid = '' } = issuer.conduct.keys[0]?.jwk ?? {};
  const look = () => keys.keyOf({ alg: 'RS256', kid }, { payload: '', signature: '' });
  const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

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
