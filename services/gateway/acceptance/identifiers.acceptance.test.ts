import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { clientOf, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

describe('a transfer', () => {
  it('gives a new identifier and keeps the old one as an alias for ever', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const card = await client.createCard(column.id, 'Refund fails');
    expect(card).toMatchObject({ identifier: 'MAIN-1', version: 1 });

    const answer = await client.transfer(card, pay.id);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe('"2"');
    expect(answer.body.data).toMatchObject({
      identifier: 'PAY-1',
      version: 2,
      workstream: { id: pay.id, name: 'PAY', prefix: 'PAY' },
    });

    const lookup = await client.get('/cards/by-identifier/main-1');
    expect(lookup.status).toBe(200);
    expect(lookup.body.data).toEqual({
      card: answer.body.data,
      reference: {
        board_name: board.name,
        board_archived_at: null,
        board_deleted_at: null,
        deleted_at: null,
        dependency_count: 0,
        dependent_count: 0,
      },
      resolved_identifier: 'main-1',
      is_alias: true,
      current_identifier: 'PAY-1',
    });
    expect((await client.get('/cards/by-identifier/PAY-1')).body.data).toMatchObject({ is_alias: false });
  });

  it('writes the history oldest first with one current entry', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const web = await client.createWorkstream('WEB');
    let card = await client.createCard(column.id, 'wanderer');
    for (const target of [pay, web, pay]) card = (await client.transfer(card, target.id)).body.data;

    const { status, body } = await client.get(`/cards/${card.id}/identifiers`);
    expect(status).toBe(200);
    expect(body.page).toEqual({ next_cursor: null, has_more: false });
    expect(body.data.map((entry: { identifier: string }) => entry.identifier)).toEqual([
      'MAIN-1',
      'PAY-1',
      'WEB-1',
      'PAY-2',
    ]);
    expect(body.data.map((entry: { is_current: boolean }) => entry.is_current)).toEqual([false, false, false, true]);
    for (const [n, entry] of body.data.entries()) {
      expect(entry.superseded_at).toBe(body.data[n + 1]?.assigned_at ?? null);
      expect(entry.assigned_by).toBe(client.userId);
    }
  });

  it('to the workstream it is in changes nothing', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'stays');
    const answer = await client.transfer(card, card.workstream.id);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual(card);
    expect(await client.card(card.id)).toEqual(card);
    expect((await client.createCard(column.id, 'next')).identifier).toBe('MAIN-2');
  });

  it('with edits in one PATCH raises the version by two', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const card = await client.createCard(column.id, 'both');
    const answer = await client.patch(`/cards/${card.id}`, {
      ifMatch: 1,
      body: { workstream_id: pay.id, title: 'both done', completed: true },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ identifier: 'PAY-1', title: 'both done', version: 3 });
    expect(answer.body.data.completed_at).not.toBeNull();
  });

  it.each([
    ['an invalid field', { title: '' }, 1, 422],
    ['a stale version', { title: 'fine' }, 7, 412],
  ])('with %s changes nothing and burns no number', async (_, edits, ifMatch, status) => {
    const { client, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const card = await client.createCard(column.id, 'steady');
    const answer = await client.patch(`/cards/${card.id}`, { ifMatch, body: { workstream_id: pay.id, ...edits } });
    expect(answer.status).toBe(status);
    expect(await client.card(card.id)).toEqual(card);
    expect((await client.createCard(column.id, 'next', { workstream_id: pay.id })).identifier).toBe('PAY-1');
  });

  it('into an archived workstream is refused, burns no number, and the key can be used again', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const old = await client.createWorkstream('OLD');
    const pay = await client.createWorkstream('PAY');
    expect((await client.post(`/workstreams/${old.id}/archive`, { ifMatch: 1 })).status).toBe(200);
    const card = await client.createCard(column.id, 'steady');
    const key = randomUUID();

    expect(await client.transfer(card, old.id, { key })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    expect(
      await client.patch(`/cards/${card.id}`, { ifMatch: 1, body: { workstream_id: old.id, title: 'lost?' } }),
    ).toMatchObject({ status: 409 });
    expect(await client.card(card.id)).toEqual(card);
    expect((await client.transfer(card, pay.id, { key })).body.data.identifier).toBe('PAY-1');
    expect((await client.get('/cards/by-identifier/OLD-1')).status).toBe(404);
  });

  it('to an unknown workstream or one of another workspace is 404', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const foreign = await (await clientOf(stack)).createWorkstream('FAR');
    const card = await client.createCard(column.id, 'steady');
    for (const id of [randomUUID(), foreign.id]) {
      expect(await client.transfer(card, id)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
    expect(await client.card(card.id)).toEqual(card);
  });

  it('to an unknown workstream is 404 also where nothing is written: a missing target comes before a conflict', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'steady');
    const workstream_id = randomUUID();
    await client.post(`/columns/${column.id}/archive`, { ifMatch: 1 });
    const made = await client.post(`/columns/${column.id}/cards`, { body: { title: 'nowhere', workstream_id } });
    expect(made).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    await client.delete(`/boards/${board.id}`, { ifMatch: 1 });
    expect((await client.transfer(card, workstream_id)).status).toBe(404);
    const edited = await client.patch(`/cards/${card.id}`, { ifMatch: 1, body: { workstream_id, title: 'lost' } });
    expect(edited.status).toBe(404);
    expect(await client.card(card.id)).toEqual(card);
  });

  it('replayed after the card moved on returns the first response, not 412', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const web = await client.createWorkstream('WEB');
    const card = await client.createCard(column.id, 'moved on');
    const key = randomUUID();
    const first = await client.transfer(card, pay.id, { key });
    await client.transfer(first.body.data, web.id);

    const replay = await client.transfer(card, pay.id, { key });
    expect(replay.status).toBe(200);
    expect(replay.body).toEqual(first.body);
    expect(replay.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect((await client.card(card.id)).identifier).toBe('WEB-1');
  });
});

describe('a lookup', () => {
  it.each(['MAIN-01', ' MAIN-1', 'MAIN-1 ', 'MAIN', 'MAIN-', 'MAIN-0', '-1', 'MAIN-1-1', 'MAIN-9', 'M-1', 'MAIN-1e0'])(
    'of %j is 404',
    async (spelling) => {
      const { client, column } = await workspaceWithBoard(stack);
      await client.createCard(column.id, 'first');
      expect(await client.get(`/cards/by-identifier/${encodeURIComponent(spelling)}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    },
  );

  it('sees nothing of another workspace', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    await client.createCard(column.id, 'mine');
    expect((await (await clientOf(stack)).get('/cards/by-identifier/MAIN-1')).status).toBe(404);
  });

  it('of a deleted card is 404 under every name, and no name comes back', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const card = (await client.transfer(await client.createCard(column.id, 'doomed'), pay.id)).body.data;
    expect((await client.delete(`/cards/${card.id}`, { ifMatch: card.version })).status).toBe(204);
    for (const path of ['by-identifier/MAIN-1', 'by-identifier/PAY-1', card.id, `${card.id}/identifiers`]) {
      expect((await client.get(`/cards/${path}`)).status).toBe(404);
    }
    expect((await client.createCard(column.id, 'next')).identifier).toBe('MAIN-2');
    expect((await client.createCard(column.id, 'next', { workstream_id: pay.id })).identifier).toBe('PAY-2');
  });
});

describe('a board default workstream', () => {
  it('names new cards, and gives way to MAIN once it is archived', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const patched = await client.patch(`/boards/${board.id}`, { ifMatch: 1, body: { default_workstream_id: pay.id } });
    expect(patched.body.data).toMatchObject({ default_workstream_id: pay.id, version: 2 });
    expect((await client.createCard(column.id, 'one')).identifier).toBe('PAY-1');

    await client.post(`/workstreams/${pay.id}/archive`, { ifMatch: 1 });
    expect((await client.createCard(column.id, 'two')).identifier).toBe('MAIN-1');
    expect(
      await client.post(`/columns/${column.id}/cards`, { body: { title: 'three', workstream_id: pay.id } }),
    ).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  });
});
