import { type Board, type Column, createClient, type PostOptions } from '@cardinal/client/source';
import { describe, expect, it } from 'vitest';
import { findOrCreate, refuseForgotten } from './target.ts';

/** A service that remembers keys and of which some things are gone from the listing. */
const world = (made: Map<string, string>, listed: Set<string>) => ({
  find: async () => [...listed][0],
  create: async ({ idempotencyKey = '', onReply }: PostOptions) => {
    const replayed = made.has(idempotencyKey);
    const thing = made.get(idempotencyKey) ?? `made by ${idempotencyKey}`;
    if (!replayed) listed.add(thing);
    made.set(idempotencyKey, thing);
    onReply?.({ status: 201, requestId: 'r', replayed });
    return thing;
  },
  key: (n: number) => `k${n}`,
});

describe('findOrCreate', () => {
  it('takes what is there', async () => {
    const made = new Map<string, string>();
    expect(await findOrCreate(world(made, new Set(['there'])))).toBe('there');
    expect(made.size).toBe(0);
  });

  it('makes what is missing', async () => {
    expect(await findOrCreate(world(new Map(), new Set()))).toBe('made by k1');
  });

  it('makes another one where what the key once made is gone', async () => {
    const made = new Map([
      ['k1', 'archived'],
      ['k2', 'deleted'],
    ]);
    expect(await findOrCreate(world(made, new Set()))).toBe('made by k3');
  });
});

const made = Date.parse('2026-01-01T00:00:00Z');
const hours = (count: number) => made + count * 3_600_000;
const target = {
  board: { id: 'b', name: 'Board' } as Board,
  column: { id: 'c', name: 'Column', created_at: new Date(made).toISOString() } as Column,
};

const check = async (now: number, { active, archived }: { active: number; archived: number }) => {
  const answer: typeof fetch = async (url) => {
    const count = String(url).includes('archived=true') ? archived : active;
    return Response.json({ data: Array(count).fill({}), page: { next_cursor: null, has_more: false } });
  };
  return refuseForgotten(createClient({ baseUrl: 'http://cardinal.test', token: 't', fetch: answer }), target, now);
};

describe('refuseForgotten', () => {
  it.each([
    { active: 1, archived: 0 },
    { active: 0, archived: 1 },
  ])('refuses an old column that holds cards: %j', async (cards) => {
    await expect(check(hours(24), cards)).rejects.toThrow('would come a second time');
  });

  it('takes a column that is young or empty', async () => {
    await check(hours(22), { active: 1, archived: 1 });
    await check(hours(24), { active: 0, archived: 0 });
  });
});
