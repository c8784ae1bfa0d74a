import { describe, expect, it } from 'vitest';
import { fault, saidOf, type Told } from '../../test/histories.ts';
import type { InjectedFault } from '../history.ts';
import { revokedForEver } from './api-keys.ts';

const revoke = (at: [number, number], status?: number): Told => ({
  operation: 'revokeApiKey',
  method: 'DELETE',
  path: '/api-keys/k',
  at,
  ...(status !== undefined && { status }),
});
const use = (at: [number, number], status: number): Told => ({
  operation: 'listApiKeys',
  path: '/api-keys?limit=1',
  apiKey: 'k',
  at,
  status,
});
const ofKind = (kind: string, start: number, end: number): InjectedFault => ({
  ...fault(start, end),
  kind,
  ...(kind !== 'nats-wipe' && { loses: true }),
});

describe('a revoked API key is never accepted', () => {
  const done = revoke([10, 20], 204);

  it('passes uses before the revocation and in the second after it, and refusals', () => {
    expect(saidOf(revokedForEver, [use([0, 5], 200), done, use([900, 950], 200), use([2_000, 2_010], 401)])).toEqual(
      [],
    );
    expect(saidOf(revokedForEver, [revoke([10, 20]), use([9_000, 9_010], 200)])).toEqual([]);
    expect(saidOf(revokedForEver, [done, use([5_000, 5_010], 200)], [fault(0, 30)])).toEqual([]);
  });

  it('catches a use after it, a rollback of the databases included', () => {
    const late = [done, use([9_000, 9_010], 200)];
    for (const faults of [[], [fault(0, 30)], [ofKind('volume-set-back', 0, 3_000)]])
      expect(saidOf(revokedForEver, late, faults)).toEqual([
        'API key k is accepted, and its revocation had been acknowledged',
      ]);
  });

  it('passes it where the register was lost with the database', () => {
    const late = [done, use([90_000, 90_010], 200)];
    expect(saidOf(revokedForEver, late, [ofKind('everything-restored', 0, 3_000)])).toEqual([]);
    const both = (wiped: number) => [ofKind('nats-wipe', wiped, wiped + 10), ofKind('volume-set-back', 50_000, 53_000)];
    expect(saidOf(revokedForEver, late, both(45_000))).toEqual([]);
    expect(saidOf(revokedForEver, late, both(1_000))).toHaveLength(1);
  });
});
