import type { Board, Column } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { createClient } from '../../client.ts';
import { refuseForgotten } from './refuse-forgotten.ts';

const made = Date.parse('2026-01-01T00:00:00Z');
const hours = (count: number) => made + count * 3_600_000;
const place = {
  board: { id: 'b', name: 'Board' } as Board,
  column: { id: 'c', name: 'Column', created_at: new Date(made).toISOString() } as Column,
};

const check = async (now: number, { active, archived }: { active: number; archived: number }) => {
  const { url } = await serve(({ url }) => {
    const count = url.includes('archived=true') ? archived : active;
    return { status: 200, body: { data: Array(count).fill({}), page: { next_cursor: null, has_more: false } } };
  });
  return refuseForgotten(createClient({ baseUrl: url, token: 't' }), place, now);
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
