import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, together, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

const cardWith = async (...titles: string[]) => {
  const { client, board, column } = await workspaceWithBoard(stack);
  const card = await client.createCard(column.id, 'divided');
  const path = `/cards/${card.id}/subtasks`;
  const subtasks: Body[] = [];
  for (const title of titles) subtasks.push(await client.data(client.post(path, { body: { title } })));
  const order = async () => (await client.all(path)).map(({ title }) => title);
  return { client, board, card, path, subtasks, order };
};

describe('a subtask', () => {
  it('is made last, completed, reopened, renamed, deleted and counted', async () => {
    const { client, card, path, order } = await cardWith('first');
    const made = await client.post(path, { body: { title: ' second ' } });
    const { id, created_at } = made.body.data;
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`/api/kanban/v1/subtasks/${id}`);
    expect(made.headers.get('etag')).toBe('"1"');
    expect(made.body.data).toEqual({
      id,
      type: 'subtask',
      version: 1,
      card_id: card.id,
      title: 'second',
      completed_at: null,
      position: expect.any(Number),
      linked_file: null,
      created_at,
      updated_at: created_at,
    });
    expect(await order()).toEqual(['first', 'second']);
    expect(await client.card(card.id)).toMatchObject({ version: 3, subtask_total: 2, subtask_completed: 0 });

    const edit = (ifMatch: number, body: Body) => client.patch(`/subtasks/${id}`, { ifMatch, body });
    const done = await edit(1, { completed: true });
    expect(done.body.data).toMatchObject({ version: 2, completed_at: expect.any(String) });
    expect(await client.card(card.id)).toMatchObject({ version: 4, subtask_completed: 1 });
    expect((await edit(2, { completed: true })).body).toEqual(done.body);
    expect((await edit(1, { completed: false })).status).toBe(412);
    expect((await edit(2, { title: 'renamed' })).body.data).toMatchObject({ version: 3, title: 'renamed' });
    expect((await client.card(card.id)).version).toBe(4);
    expect((await edit(3, { completed: false })).body.data.completed_at).toBeNull();
    expect(await client.card(card.id)).toMatchObject({ version: 5, subtask_completed: 0 });

    expect((await client.delete(`/subtasks/${id}`, { ifMatch: 4 })).status).toBe(204);
    expect((await client.delete(`/subtasks/${id}`, { ifMatch: 4 })).status).toBe(404);
    expect(await client.card(card.id)).toMatchObject({ version: 6, subtask_total: 1 });
  });

  it('goes where it is told', async () => {
    const { client, card, subtasks, order } = await cardWith('a', 'b', 'c');
    const [a, b, c] = subtasks;
    const { version } = await client.card(card.id);
    const place = async (subtask: Body, body: Body) => {
      const { version: ifMatch } = (await client.all(`/cards/${card.id}/subtasks`)).find(({ id }) => id === subtask.id);
      return client.data(client.patch(`/subtasks/${subtask.id}`, { ifMatch, body }));
    };
    await place(a, { position: 'end' });
    expect(await order()).toEqual(['b', 'c', 'a']);
    await place(a, { before_subtask_id: c.id });
    expect(await order()).toEqual(['b', 'a', 'c']);
    await place(b, { after_subtask_id: a.id });
    expect(await order()).toEqual(['a', 'b', 'c']);
    const there = await place(c, { position: 'start' });
    expect(await order()).toEqual(['c', 'a', 'b']);
    expect(await place(c, { position: 'start' })).toEqual(there);
    await place(b, { position: there.position });
    expect(await order()).toEqual(['b', 'c', 'a']);
    expect((await client.card(card.id)).version).toBe(version);
  });

  it.each([
    ['nothing', {}],
    ['a blank title', { title: ' ' }],
    ['a title of 241 emoji', { title: '😀'.repeat(241) }],
    ['two places', { position: 'end', before_subtask_id: randomUUID() }],
    ['a place beside what is not on the card', { before_subtask_id: randomUUID() }],
  ])('refuses %s', async (_, body) => {
    const { client, path, subtasks } = await cardWith('steady');
    expect(await client.patch(`/subtasks/${subtasks[0].id}`, { ifMatch: 1, body })).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_error' } },
    });
    expect(await client.all(path)).toEqual(subtasks);
  });

  it('goes on an archived card, and on none of a deleted board', async () => {
    const { client, board, card, path } = await cardWith();
    await client.data(client.post(`/cards/${card.id}/archive`, { ifMatch: 1 }));
    expect((await client.post(path, { body: { title: 'still here' } })).status).toBe(201);
    await client.delete(`/boards/${board.id}`, { ifMatch: 1 });
    expect((await client.post(path, { body: { title: 'too late' } })).status).toBe(409);
  });

  it('goes with its card', async () => {
    const { client, card, path, subtasks } = await cardWith('doomed');
    expect((await client.delete(`/cards/${card.id}`, { ifMatch: 2 })).status).toBe(204);
    expect((await client.get(path)).status).toBe(404);
    expect((await client.patch(`/subtasks/${subtasks[0].id}`, { ifMatch: 1, body: { title: 'x' } })).status).toBe(404);
  });
});

describe('many subtasks', () => {
  it('made and completed at once are all counted and hold places of their own', async () => {
    const { client, card, path } = await cardWith();
    const made = await together(20, (n) => client.data(client.post(path, { body: { title: `part ${n}` } })));
    await together(20, (n) =>
      client.data(client.patch(`/subtasks/${made[n].id}`, { ifMatch: 1, body: { completed: n % 2 === 0 } })),
    );
    expect(await client.card(card.id)).toMatchObject({ version: 31, subtask_total: 20, subtask_completed: 10 });
    expect(new Set((await client.all(path)).map(({ position }) => position)).size).toBe(20);
  });
});
