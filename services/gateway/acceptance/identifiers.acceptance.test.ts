import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { workspaceWithBoard } from './workspace.ts';

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
