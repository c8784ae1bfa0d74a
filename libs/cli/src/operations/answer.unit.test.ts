import { createClient } from '@cardinal/client/source';
import { listLabels } from '@cardinal/contracts';
import { afterEach, expect, it, vi } from 'vitest';
import type { Directory } from '../names/directory.ts';
import type { Session } from '../session.ts';
import { answer, usualMost } from './answer.ts';
import { itemsOf } from './ask.ts';

/** A list of so many labels, in pages as they are asked for, and the limits that were. */
const listOf = (count: number) => {
  const limits: number[] = [];
  const answerTo: typeof fetch = async (url) => {
    const { searchParams } = new URL(String(url));
    const [start, limit] = [Number(searchParams.get('cursor') ?? 0), Number(searchParams.get('limit'))];
    limits.push(limit);
    const end = Math.min(count, start + limit);
    const data = Array.from({ length: end - start }, (_, n) => ({ name: `label ${start + n}` }));
    return Response.json({ data, page: { next_cursor: end < count ? String(end) : null } });
  };
  return { client: createClient({ baseUrl: 'http://cardinal', token: 'a', fetch: answerTo }), limits };
};

afterEach(() => vi.restoreAllMocks());

it('reads page by page, and no more than is asked for', async () => {
  const { client, limits } = listOf(250);
  const items: object[] = [];
  for await (const item of itemsOf(client, listLabels.http, { params: {} }, 130)) items.push(item);
  expect(items).toHaveLength(130);
  expect(limits).toEqual([100, 100]);
});

const shown = async (count: number, limit?: number) => {
  const { client } = listOf(count);
  const [out, err] = [vi.spyOn(console, 'log').mockReturnValue(), vi.spyOn(console, 'error').mockReturnValue()];
  const session = { json: () => true } as Session;
  const call = { params: {} };
  await answer({ session, client, directory: {} as Directory }, listLabels.http, { call, limit });
  const result = { rows: out.mock.calls.length, said: err.mock.calls.flat() };
  vi.restoreAllMocks();
  return result;
};

it('says where there are more rows than it shows', async () => {
  const more = `there are more than these ${usualMost}; --limit N shows as many, --all shows all`;
  expect(await shown(usualMost + 1)).toEqual({ rows: usualMost, said: [more] });
  expect(await shown(usualMost)).toEqual({ rows: usualMost, said: [] });
  expect(await shown(usualMost + 1, 120)).toEqual({ rows: 120, said: [] });
  expect(await shown(usualMost + 1, Number.POSITIVE_INFINITY)).toEqual({ rows: usualMost + 1, said: [] });
  expect(await shown(0)).toEqual({ rows: 0, said: ['none found'] });
});
