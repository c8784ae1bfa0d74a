import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Client, clientOf, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

/** A private board with a card, its creator, and another user of the workspace. */
const privateBoard = async () => {
  const client = await clientOf(stack);
  // No admin: those manage every board of the workspace.
  const scope = 'kanban:read kanban:write';
  const stranger = await clientOf(stack, { workspace: client.workspaceId, scope });
  const made = await client.post('/boards', { body: { name: 'Secret', visibility: 'private' } });
  const board = made.body.data;
  const column = await client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'To do' } }));
  const card = await client.createCard(column.id, 'hidden');
  return { client, stranger, made, board, column, card };
};

describe('a private board', () => {
  it('is seen by its creator only, with everything on it', async () => {
    const { client, stranger, made, board, column, card } = await privateBoard();
    expect(made).toMatchObject({ status: 201, body: { data: { visibility: 'private', created_by: client.userId } } });
    expect(await client.all('/boards')).toEqual([board]);
    expect(await stranger.all('/boards')).toEqual([]);
    for (const path of [`/boards/${board.id}`, `/boards/${board.id}/cards`, `/cards/${card.id}`]) {
      expect((await client.get(path)).status).toBe(200);
      expect(await stranger.get(path)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
    expect((await client.get(`/cards/by-identifier/${card.identifier}`)).status).toBe(200);
    expect((await stranger.get(`/cards/by-identifier/${card.identifier}`)).status).toBe(404);
    const put = await stranger.put(`/boards/${board.id}/members/${stranger.userId}`);
    expect(put.status).toBe(404);
    expect((await stranger.post(`/columns/${column.id}/cards`, { body: { title: 'x' } })).status).toBe(404);
  });

  it('opens to a member, who may write, and closes again', async () => {
    const { client, stranger, board, column, card } = await privateBoard();
    const path = `/boards/${board.id}/members/${stranger.userId}`;
    const put = await client.put(path);
    expect(put.status).toBe(200);
    expect(put.body.data).toEqual({
      board_id: board.id,
      user_id: stranger.userId,
      role: 'member',
      created_at: expect.any(String),
    });
    expect(put.headers.get('etag')).toBeNull();
    expect((await client.put(path)).body).toEqual(put.body);

    expect(await stranger.all('/boards')).toEqual([board]);
    expect(await stranger.card(card.id)).toEqual(card);
    expect((await stranger.createCard(column.id, 'ours')).created_by).toBe(stranger.userId);
    const edit = await stranger.patch(`/cards/${card.id}`, { ifMatch: 1, body: { title: 'seen' } });
    expect(edit.status).toBe(200);

    for (const _ of ['ends', 'again']) expect(await client.delete(path)).toMatchObject({ status: 204, body: '' });
    expect(await stranger.all('/boards')).toEqual([]);
    expect((await stranger.get(`/cards/${card.id}`)).status).toBe(404);
  });

  it('keeps its version when members come and go', async () => {
    const { client, board } = await privateBoard();
    await client.put(`/boards/${board.id}/members/${randomUUID()}`);
    await client.delete(`/boards/${board.id}/members/${randomUUID()}`);
    expect((await client.get(`/boards/${board.id}`)).body.data).toEqual(board);
  });

  it('never hides from its creator', async () => {
    const { client, board } = await privateBoard();
    await client.delete(`/boards/${board.id}/members/${client.userId}`);
    expect((await client.get(`/boards/${board.id}`)).status).toBe(200);
  });

  it('is what a board of the workspace can become, and stop being', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const scope = 'kanban:read kanban:write';
    const neighbour = await clientOf(stack, { workspace: client.workspaceId, scope });
    const card = await client.createCard(column.id, 'in the open');
    expect(await neighbour.card(card.id)).toEqual(card);
    const path = `/boards/${board.id}`;
    await client.data(client.patch(path, { ifMatch: 1, body: { visibility: 'private' } }));
    expect((await neighbour.get(`/cards/${card.id}`)).status).toBe(404);
    expect((await neighbour.patch(path, { ifMatch: 2, body: { visibility: 'workspace' } })).status).toBe(404);
    await client.data(client.patch(path, { ifMatch: 2, body: { visibility: 'workspace' } }));
    expect(await neighbour.card(card.id)).toEqual(card);
  });
});

describe('who manages a board', () => {
  it('is its creator, an owner and an admin; others who see it may not, not for themselves either', async () => {
    const { client, stranger, board } = await privateBoard();
    const admin = await clientOf(stack, { workspace: client.workspaceId });
    const members = `/boards/${board.id}/members`;
    const own = `${members}/${stranger.userId}`;
    const forbidden = { status: 403, body: { error: { code: 'insufficient_scope' } } };
    const open = (by: Client, ifMatch: number, visibility: string) =>
      by.patch(`/boards/${board.id}`, { ifMatch, body: { visibility } });

    for (const send of [
      stranger.put(own),
      stranger.delete(own),
      stranger.get(members),
      open(stranger, 1, 'workspace'),
    ]) {
      expect((await send).status).toBe(404);
    }
    await client.data(client.put(own));
    expect(await stranger.put(own, { body: { role: 'owner' } })).toMatchObject(forbidden);
    expect(await stranger.delete(own)).toMatchObject(forbidden);
    expect(await open(stranger, 1, 'workspace')).toMatchObject(forbidden);
    expect(await stranger.all(members)).toMatchObject([{ user_id: stranger.userId, role: 'member' }]);

    const promoted = await client.put(own, { body: { role: 'owner' } });
    expect(promoted).toMatchObject({ status: 200, body: { data: { role: 'owner' } } });
    expect((await client.put(own, { body: { role: 'owner' } })).body).toEqual(promoted.body);
    expect((await open(stranger, 1, 'workspace')).status).toBe(200);
    expect((await open(stranger, 2, 'private')).status).toBe(200);

    expect((await admin.get(`/boards/${board.id}`)).status).toBe(404);
    expect((await admin.put(own)).body.data).toMatchObject({ role: 'owner' });
    expect((await admin.put(own, { body: { role: 'member' } })).body.data).toMatchObject({ role: 'member' });
    expect(await stranger.put(`${members}/${randomUUID()}`)).toMatchObject(forbidden);
    expect(await admin.delete(own)).toMatchObject({ status: 204 });
    expect(await admin.all(members)).toEqual([]);
    expect((await open(admin, 3, 'workspace')).status).toBe(200);
    expect(await stranger.put(own)).toMatchObject(forbidden);
    expect((await stranger.get(members)).status).toBe(200);
  });

  it.each([
    ['an unknown role', { role: 'admin' }],
    ['an unknown field', { role: 'owner', level: 1 }],
    ['null', null],
    ['a list', []],
  ])('is told by no body with %s', async (_, body) => {
    const { client, board } = await privateBoard();
    const answer = await client.put(`/boards/${board.id}/members/${randomUUID()}`, { body });
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'validation_error' } } });
    expect(await client.all(`/boards/${board.id}/members`)).toEqual([]);
  });
});

describe('assignees', () => {
  it('are put and taken off once each, and found by the filter', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'work');
    const [one, two] = [randomUUID(), randomUUID()];
    const path = (user: string) => `/cards/${card.id}/assignees/${user}`;

    const put = await client.put(path(one));
    expect(put.status).toBe(200);
    expect(put.headers.get('etag')).toBe('"2"');
    expect(put.body.data).toMatchObject({ version: 2, assignee_user_ids: [one] });
    const repeated = await client.put(path(one));
    expect([repeated.body, repeated.headers.get('etag')]).toEqual([put.body, '"2"']);
    expect(new Set((await client.data(client.put(path(two)))).assignee_user_ids)).toEqual(new Set([one, two]));
    expect((await client.all(`/boards/${board.id}/cards?assignee_user_id=${two}`)).map(({ id }) => id)).toEqual([
      card.id,
    ]);

    for (const _ of ['off', 'again']) expect((await client.delete(path(one))).status).toBe(204);
    expect(await client.card(card.id)).toMatchObject({ version: 4, assignee_user_ids: [two] });
  });

  it('change nothing on a card of a deleted board', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'frozen');
    await client.delete(`/boards/${board.id}`, { ifMatch: 1 });
    expect(await client.put(`/cards/${card.id}/assignees/${client.userId}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    expect(await client.card(card.id)).toEqual(card);
  });
});
