import { describe, expect, it } from 'vitest';
import { type Script, talkTo } from '../test/serve.ts';

describe('a list', () => {
  const pages: Script = ({ url }) => {
    const cursor = new URL(url, 'http://x').searchParams.get('cursor');
    return cursor === 'next'
      ? { status: 200, body: { data: [{ id: '3' }], page: { next_cursor: null, has_more: false } } }
      : { status: 200, body: { data: [{ id: '1' }, { id: '2' }], page: { next_cursor: 'next', has_more: true } } };
  };

  it('is walked through page by page', async () => {
    const { client, seen } = await talkTo(pages);
    const ids: string[] = [];
    for await (const { id } of client.cards.list('b1', { completed: false, q: 'a&b' }, { pageSize: 2 })) ids.push(id);
    expect(ids).toEqual(['1', '2', '3']);
    expect(seen.map(({ url }) => url)).toEqual([
      '/api/kanban/v1/boards/b1/cards?completed=false&q=a%26b&limit=2',
      '/api/kanban/v1/boards/b1/cards?completed=false&q=a%26b&limit=2&cursor=next',
    ]);
  });

  it('is read no further than it is wanted', async () => {
    const { client, seen } = await talkTo(pages);
    for await (const { id } of client.boards.list()) if (id === '2') break;
    expect(seen).toHaveLength(1);
  });

  it('comes up to a limit, with no more pages and items than that takes', async () => {
    const { client, seen } = await talkTo(pages);
    expect(await client.boards.list().all({ limit: 2 })).toEqual([{ id: '1' }, { id: '2' }]);
    expect(await client.boards.list().all({ limit: 1 })).toEqual([{ id: '1' }]);
    expect(await client.boards.list().all({ limit: 0 })).toEqual([]);
    expect(seen.map(({ url }) => url.split('?')[1])).toEqual(['limit=2', 'limit=1']);
  });

  it('comes as a whole or as one page', async () => {
    const { client } = await talkTo(pages);
    expect(await client.workstreams.list().all()).toHaveLength(3);
    expect(await client.cards.listIdentifiers('c1').all()).toHaveLength(3);
    expect((await client.columns.list('b1').page('next')).data).toEqual([{ id: '3' }]);
  });
});
