import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { clientOf, together, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

describe('a label', () => {
  it('is made, listed, edited and deleted', async () => {
    const client = await clientOf(stack);
    const made = await client.post('/labels', { body: { name: ' bug ', color: '#D73A4A' } });
    expect(made.status).toBe(201);
    const { id, created_at } = made.body.data;
    expect(made.headers.get('location')).toBe(`/api/kanban/v1/labels/${id}`);
    expect(made.headers.get('etag')).toBe('"1"');
    expect(made.body.data).toEqual({
      id,
      type: 'label',
      version: 1,
      name: 'bug',
      color: '#d73a4a',
      created_at,
      updated_at: created_at,
    });
    expect(await client.all('/labels')).toEqual([made.body.data]);

    const edited = await client.patch(`/labels/${id}`, { ifMatch: 1, body: { name: 'defect' } });
    expect(edited.body.data).toMatchObject({ version: 2, name: 'defect', color: '#d73a4a' });
    expect(edited.headers.get('etag')).toBe('"2"');
    const same = await client.patch(`/labels/${id}`, { ifMatch: 2, body: { name: 'defect' } });
    expect(same.body).toEqual(edited.body);
    expect((await client.patch(`/labels/${id}`, { ifMatch: 1, body: { name: 'late' } })).status).toBe(412);
    expect((await client.delete(`/labels/${id}`, { ifMatch: 1 })).status).toBe(412);
    expect(await client.delete(`/labels/${id}`, { ifMatch: 2 })).toMatchObject({ status: 204, body: '' });
    expect((await client.delete(`/labels/${id}`, { ifMatch: 2 })).status).toBe(404);
    expect(await client.all('/labels')).toEqual([]);
  });

  it.each([{ name: '' }, { name: 'x'.repeat(121) }, { name: 'a', color: 'red' }, { name: 'a', color: '#12345' }, {}])(
    'refuses %j',
    async (body) => {
      const client = await clientOf(stack);
      expect(await client.post('/labels', { body })).toMatchObject({
        status: 422,
        body: { error: { code: 'validation_error' } },
      });
      expect(await client.all('/labels')).toEqual([]);
    },
  );

  it('comes page by page, each once', async () => {
    const client = await clientOf(stack);
    const made = await together(5, (n) => client.data(client.post('/labels', { body: { name: `label ${n}` } })));
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await client.get(`/labels?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.page.next_cursor ?? '';
    } while (cursor);
    expect(seen.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
  });
});

describe('labels on cards', () => {
  it('are put and taken off once each, and found by the filter', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'marked');
    const label = await client.data(client.post('/labels', { body: { name: 'bug' } }));
    const path = `/cards/${card.id}/labels/${label.id}`;
    const put = await client.put(path);
    expect([put.status, put.headers.get('etag')]).toEqual([200, '"2"']);
    expect(put.body.data).toMatchObject({ version: 2, label_ids: [label.id] });
    expect((await client.put(path)).body).toEqual(put.body);
    expect(await client.all(`/boards/${board.id}/cards?label_id=${label.id}`)).toEqual([put.body.data]);
    for (const _ of ['off', 'again']) expect((await client.delete(path)).status).toBe(204);
    expect(await client.card(card.id)).toMatchObject({ version: 3, label_ids: [] });
  });

  it('vanish with the label, and the versions of the cards rise', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const [one, two] = [await client.createCard(column.id, 'one'), await client.createCard(column.id, 'two')];
    const [bug, big] = [
      await client.data(client.post('/labels', { body: { name: 'bug' } })),
      await client.data(client.post('/labels', { body: { name: 'big' } })),
    ];
    for (const label of [bug, big]) await client.data(client.put(`/cards/${one.id}/labels/${label.id}`));
    expect((await client.delete(`/labels/${bug.id}`, { ifMatch: 1 })).status).toBe(204);
    expect(await client.card(one.id)).toMatchObject({ version: 4, label_ids: [big.id] });
    expect(await client.card(two.id)).toEqual(two);
    expect((await client.put(`/cards/${one.id}/labels/${bug.id}`)).status).toBe(404);
  });
});
