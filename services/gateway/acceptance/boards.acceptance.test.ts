import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, clientOf, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();
const names = (items: Body[]) => items.map((item) => item.name);

describe('a board', () => {
  it('is made, read, listed, renamed', async () => {
    const client = await clientOf(stack);
    const made = await client.post('/boards', { body: { name: ' Roadmap ' } });
    expect(made.status).toBe(201);
    expect(made.headers.get('etag')).toBe('"1"');
    expect(made.headers.get('location')).toBe(`/api/kanban/v1/boards/${made.body.data.id}`);
    expect(made.body.data).toEqual({
      id: expect.any(String),
      type: 'board',
      version: 1,
      name: 'Roadmap',
      visibility: 'workspace',
      default_workstream_id: null,
      archived_at: null,
      created_by: client.userId,
      created_at: expect.any(String),
      updated_at: made.body.data.created_at,
    });
    const path = `/boards/${made.body.data.id}`;
    expect((await client.get(path)).body).toEqual(made.body);
    expect(names(await client.all('/boards'))).toEqual(['Roadmap']);
    const renamed = await client.patch(path, { ifMatch: 1, body: { name: 'Plan' } });
    expect(renamed.body.data).toMatchObject({ name: 'Plan', version: 2 });
    expect((await client.patch(path, { ifMatch: 2, body: { name: 'Plan' } })).body).toEqual(renamed.body);
    expect(await client.patch(path, { ifMatch: 1, body: { name: 'Late' } })).toMatchObject({ status: 412 });
  });

  it('refuses a default workstream that is unknown or archived', async () => {
    const { client, board } = await workspaceWithBoard(stack);
    const old = await client.createWorkstream('OLD');
    await client.post(`/workstreams/${old.id}/archive`, { ifMatch: 1 });
    const set = (id: string) =>
      client.patch(`/boards/${board.id}`, { ifMatch: 1, body: { default_workstream_id: id } });
    expect(await set(randomUUID())).toMatchObject({ status: 404 });
    expect(await set(old.id)).toMatchObject({ status: 409 });
    expect((await client.get(`/boards/${board.id}`)).body.data).toEqual(board);
  });

  it('archived takes no new cards or columns until it is restored', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const archived = await client.post(`/boards/${board.id}/archive`, { ifMatch: 1 });
    expect(archived.body.data).toMatchObject({ version: 2, archived_at: expect.any(String) });
    expect(await client.all('/boards')).toEqual([]);
    expect(names(await client.all('/boards?archived=true'))).toEqual([board.name]);
    expect(await client.post(`/columns/${column.id}/cards`, { body: { title: 'x' } })).toMatchObject({ status: 409 });
    expect(await client.post(`/boards/${board.id}/columns`, { body: { name: 'x' } })).toMatchObject({ status: 409 });
    expect((await client.post(`/boards/${board.id}/restore`, { ifMatch: 2 })).body.data.archived_at).toBeNull();
    expect((await client.createCard(column.id, 'again')).identifier).toBe('MAIN-1');
  });

  it('deleted is gone, while its cards answer by id and identifier and take no writes', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const card = await client.createCard(column.id, 'survivor');
    expect((await client.delete(`/boards/${board.id}`, { ifMatch: 1 })).status).toBe(204);
    expect((await client.get(`/boards/${board.id}`)).status).toBe(404);
    expect((await client.get(`/boards/${board.id}/cards`)).status).toBe(404);
    expect(await client.all('/boards')).toEqual([]);

    expect(await client.card(card.id)).toEqual(card);
    const lookup = await client.get('/cards/by-identifier/MAIN-1');
    expect(lookup.body.data.reference.board_deleted_at).toEqual(expect.any(String));
    for (const answer of [
      await client.patch(`/cards/${card.id}`, { ifMatch: 1, body: { title: 'x' } }),
      await client.transfer(card, pay.id),
      await client.post(`/cards/${card.id}/archive`, { ifMatch: 1 }),
      await client.post(`/cards/${card.id}/move`, { ifMatch: 1, body: { position: 'end' } }),
      await client.delete(`/cards/${card.id}`, { ifMatch: 1 }),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    }
    expect(await client.card(card.id)).toEqual(card);
  });
});

describe('columns', () => {
  it('line up in order of making and can be renamed, placed, archived and restored', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const add = (name: string) => client.data(client.post(`/boards/${board.id}/columns`, { body: { name } }));
    const doing = await add('Doing');
    await add('Done');
    const list = async (query = '') => names(await client.all(`/boards/${board.id}/columns${query}`));
    expect(await list()).toEqual(['To do', 'Doing', 'Done']);

    const moved = await client.patch(`/columns/${column.id}`, { ifMatch: 1, body: { position: 'end', name: 'Later' } });
    expect(moved.body.data).toMatchObject({ name: 'Later', version: 2 });
    expect(await list()).toEqual(['Doing', 'Done', 'Later']);
    expect((await client.post(`/columns/${doing.id}/archive`, { ifMatch: 1 })).status).toBe(200);
    expect(await list()).toEqual(['Done', 'Later']);
    expect(await list('?archived=true')).toEqual(['Doing']);
    expect((await client.post(`/columns/${doing.id}/restore`, { ifMatch: 2 })).status).toBe(200);
    expect(await list()).toEqual(['Doing', 'Done', 'Later']);
  });
});

describe('a workstream', () => {
  it('is made, read, listed, patched, archived, and keeps its prefix for ever', async () => {
    const client = await clientOf(stack);
    const made = await client.post('/workstreams', { body: { name: 'Payments', prefix: 'pay', description: 'money' } });
    expect(made.status).toBe(201);
    expect([made.headers.get('etag'), made.headers.get('location')]).toEqual([
      '"1"',
      `/api/kanban/v1/workstreams/${made.body.data.id}`,
    ]);
    expect(made.body.data).toEqual({
      id: expect.any(String),
      type: 'workstream',
      version: 1,
      name: 'Payments',
      prefix: 'PAY',
      description: 'money',
      is_default: false,
      archived_at: null,
      created_at: expect.any(String),
      updated_at: made.body.data.created_at,
    });
    const path = `/workstreams/${made.body.data.id}`;
    const patched = await client.patch(path, { ifMatch: 1, body: { name: 'Billing', description: null } });
    expect(patched.body.data).toMatchObject({ name: 'Billing', description: null, version: 2 });
    expect(await client.patch(path, { ifMatch: 2, body: { prefix: 'NEW' } })).toMatchObject({ status: 422 });

    const archived = await client.post(`${path}/archive`, { ifMatch: 2 });
    expect(archived.body.data).toMatchObject({ version: 3, archived_at: expect.any(String) });
    expect((await client.post(`${path}/archive`, { ifMatch: 3 })).body).toEqual(archived.body);
    expect(names(await client.all('/workstreams'))).toEqual(['Main']);
    expect(names(await client.all('/workstreams?archived=true'))).toEqual(['Billing']);
    expect(await client.post('/workstreams', { body: { name: 'again', prefix: 'PAY' } })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
  });

  it('MAIN cannot be archived but can be renamed, and cards show the new name at once', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'named');
    const path = `/workstreams/${card.workstream.id}`;
    expect(await client.post(`${path}/archive`, { ifMatch: 1 })).toMatchObject({ status: 409 });
    await client.patch(path, { ifMatch: 1, body: { name: 'Everything' } });
    expect(await client.card(card.id)).toEqual({
      ...card,
      workstream: { ...card.workstream, name: 'Everything' },
    });
  });
});
