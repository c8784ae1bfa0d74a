import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { clientOf, together, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

const commented = async () => {
  const { client, board, column } = await workspaceWithBoard(stack);
  const card = await client.createCard(column.id, 'discussed');
  const made = await client.post(`/cards/${card.id}/comments`, { body: { body: ' Why?\n' } });
  return { client, board, card, made, comment: made.body.data };
};

describe('a comment', () => {
  it('is made, listed, edited, deleted and counted', async () => {
    const { client, card, made, comment } = await commented();
    expect(made.status).toBe(201);
    expect(made.headers.get('etag')).toBe('"1"');
    expect(made.headers.get('location')).toBe(`/api/kanban/v1/comments/${comment.id}`);
    expect(comment).toEqual({
      id: comment.id,
      type: 'comment',
      version: 1,
      card_id: card.id,
      body: ' Why?\n',
      created_by: client.userId,
      created_at: expect.any(String),
      updated_at: comment.created_at,
    });
    expect(await client.card(card.id)).toMatchObject({ version: 2, comment_count: 1 });

    const edited = await client.patch(`/comments/${comment.id}`, { ifMatch: 1, body: { body: 'Why not?' } });
    expect(edited.body.data).toMatchObject({ version: 2, body: 'Why not?' });
    expect((await client.patch(`/comments/${comment.id}`, { ifMatch: 1, body: { body: 'late' } })).status).toBe(412);
    expect(await client.all(`/cards/${card.id}/comments`)).toEqual([edited.body.data]);
    expect((await client.card(card.id)).version).toBe(2);

    expect((await client.delete(`/comments/${comment.id}`, { ifMatch: 2 })).status).toBe(204);
    expect((await client.delete(`/comments/${comment.id}`, { ifMatch: 2 })).status).toBe(404);
    expect(await client.card(card.id)).toMatchObject({ version: 3, comment_count: 0 });
  });

  it('of somebody else is read but not touched: 403', async () => {
    const { client, card, comment } = await commented();
    const reader = await clientOf(stack, { workspace: client.workspaceId });
    expect(await reader.all(`/cards/${card.id}/comments`)).toEqual([comment]);
    const refusal = { status: 403, body: { error: { code: 'insufficient_scope' } } };
    const path = `/comments/${comment.id}`;
    for (const ifMatch of [1, 9]) {
      expect(await reader.patch(path, { ifMatch, body: { body: 'x' } })).toMatchObject(refusal);
      expect(await reader.delete(path, { ifMatch })).toMatchObject(refusal);
    }
    expect(await client.all(`/cards/${card.id}/comments`)).toEqual([comment]);
  });

  it.each([{ body: '' }, { body: ' \n\t' }, { body: 'x'.repeat(20_001) }, { body: 'a\0b' }, { body: 7 }])(
    'refuses what is empty, too long or no text (case %#)',
    async (body) => {
      const { client, card } = await commented();
      expect((await client.post(`/cards/${card.id}/comments`, { body })).status).toBe(422);
      expect((await client.card(card.id)).comment_count).toBe(1);
    },
  );

  it('takes 20,000 emoji', async () => {
    const { client, card } = await commented();
    const body = '😀'.repeat(20_000);
    expect((await client.data(client.post(`/cards/${card.id}/comments`, { body: { body } }))).body).toBe(body);
  });

  it('goes on an archived card, and on none of a deleted board', async () => {
    const { client, board, card } = await commented();
    await client.data(client.post(`/cards/${card.id}/archive`, { ifMatch: 2 }));
    const path = `/cards/${card.id}/comments`;
    expect((await client.post(path, { body: { body: 'still here' } })).status).toBe(201);
    await client.delete(`/boards/${board.id}`, { ifMatch: 1 });
    expect((await client.post(path, { body: { body: 'too late' } })).status).toBe(409);
  });

  it('goes with its card', async () => {
    const { client, card, comment } = await commented();
    expect((await client.delete(`/cards/${card.id}`, { ifMatch: 2 })).status).toBe(204);
    expect((await client.patch(`/comments/${comment.id}`, { ifMatch: 1, body: { body: 'x' } })).status).toBe(404);
    expect((await client.get(`/cards/${card.id}/comments`)).status).toBe(404);
  });
});

describe('many comments', () => {
  it('made one after the other are listed oldest first, page by page', async () => {
    const { client, card, comment } = await commented();
    const path = `/cards/${card.id}/comments`;
    const made = [comment];
    for (const body of ['b', 'c', 'd']) made.push(await client.data(client.post(path, { body: { body } })));
    const first = await client.get(`${path}?limit=3`);
    expect(first.body.data).toEqual(made.slice(0, 3));
    const next = await client.get(`${path}?limit=3&cursor=${encodeURIComponent(first.body.page.next_cursor)}`);
    expect(next.body).toEqual({ data: made.slice(3), page: { next_cursor: null, has_more: false } });
  });

  it('made at once are all counted', async () => {
    const { client, card } = await commented();
    const path = `/cards/${card.id}/comments`;
    const made = await together(20, (n) => client.post(path, { body: { body: `comment ${n}` } }));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(await client.card(card.id)).toMatchObject({ version: 22, comment_count: 21 });
    expect(await client.all(path)).toHaveLength(21);
  });
});
