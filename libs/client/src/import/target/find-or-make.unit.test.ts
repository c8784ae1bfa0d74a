import { describe, expect, it } from 'vitest';
import { findOrMake } from './find-or-make.ts';

/** A service that remembers keys and of which some things are gone from the listing. */
const world = (made: Map<string, string>, listed: Set<string>) => ({
  find: async () => [...listed][0],
  make: async ({ idempotencyKey = '', onReply }: { idempotencyKey?: string; onReply?: (reply: never) => void }) => {
    const replayed = made.has(idempotencyKey);
    const thing = made.get(idempotencyKey) ?? `made by ${idempotencyKey}`;
    if (!replayed) listed.add(thing);
    made.set(idempotencyKey, thing);
    onReply?.({ status: 201, requestId: 'r', replayed } as never);
    return thing;
  },
  keyOf: (n: number) => `k${n}`,
});

describe('findOrMake', () => {
  it('takes what is there', async () => {
    const made = new Map<string, string>();
    expect(await findOrMake(world(made, new Set(['there'])))).toBe('there');
    expect(made.size).toBe(0);
  });

  it('makes what is missing', async () => {
    expect(await findOrMake(world(new Map(), new Set()))).toBe('made by k1');
  });

  it('makes another one where what the key once made is gone', async () => {
    const made = new Map([
      ['k1', 'archived'],
      ['k2', 'deleted'],
    ]);
    expect(await findOrMake(world(made, new Set()))).toBe('made by k3');
  });
});
