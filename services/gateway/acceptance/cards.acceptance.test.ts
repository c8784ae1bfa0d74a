import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();
const titles = (cards: Body[]) => cards.map((card) => card.title);

describe('a card', () => {
  it('is created above all others with ETag and Location and read back the same', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    await client.createCard(column.id, 'older');
    const answer = await client.post(`/columns/${column.id}/cards`, {
      body: { title: 'newer', description: 'text', due_date: '2031-05-06T07:08:09Z', priority: 'urgent' },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('etag')).toBe('"1"');
    const { id } = answer.body.data;
    expect(answer.headers.get('location')).toBe(`/api/kanban/v1/cards/${id}`);
    expect(answer.body.data).toEqual({
      id,
      type: 'card',
      version: 1,
      board_id: board.id,
      column_id: column.id,
      title: 'newer',
      description: 'text',
      position: expect.any(Number),
      due_date: '2031-05-06T07:08:09.000Z',
      priority: 'urgent',
      completed_at: null,
      archived_at: null,
      created_by: client.userId,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: answer.body.data.created_at,
      assignee_user_ids: [],
      label_ids: [],
      subtask_total: 0,
      subtask_completed: 0,
      comment_count: 0,
      identifier: 'MAIN-2',
      workstream: { id: expect.any(String), name: 'Main', prefix: 'MAIN' },
    });
    const read = await client.get(`/cards/${id}`);
    expect(read.body).toEqual(answer.body);
    expect(read.headers.get('etag')).toBe('"1"');
    expect(titles(await client.all(`/boards/${board.id}/cards`))).toEqual(['newer', 'older']);
  });

  it('answers If-None-Match with 304', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'cached');
    const ask = (etag: string) => client.get(`/cards/${card.id}`, { headers: { 'if-none-match': etag } });
    for (const etag of ['"1"', 'W/"1"', '"8", "1"', '*']) {
      const answer = await ask(etag);
      expect([answer.status, answer.headers.get('etag'), answer.body]).toEqual([304, '"1"', '']);
    }
    expect((await ask('"2"')).status).toBe(200);
  });

  it('is edited field by field; null clears; repeating changes nothing', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'before', { description: 'd', priority: 'important' });
    const edited = await client.patch(`/cards/${card.id}`, {
      ifMatch: 1,
      body: { title: 'after', description: null, priority: null, completed: true },
    });
    expect(edited.status).toBe(200);
    expect(edited.headers.get('etag')).toBe('"2"');
    expect(edited.body.data).toMatchObject({ title: 'after', description: null, priority: null, version: 2 });
    expect(edited.body.data.completed_at).not.toBeNull();

    const repeated = await client.patch(`/cards/${card.id}`, { ifMatch: 2, body: { title: 'after', completed: true } });
    expect(repeated.body.data).toEqual(edited.body.data);
    const reopened = await client.patch(`/cards/${card.id}`, { ifMatch: 2, body: { completed: false } });
    expect(reopened.body.data).toMatchObject({ completed_at: null, version: 3 });
  });

  it('is archived, hidden from lists, still editable, and restored', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'sleeper');
    const archived = await client.post(`/cards/${card.id}/archive`, { ifMatch: 1 });
    expect(archived.status).toBe(200);
    expect(archived.body.data).toMatchObject({ version: 2, archived_at: expect.any(String) });
    expect((await client.post(`/cards/${card.id}/archive`, { ifMatch: 2 })).body).toEqual(archived.body);
    expect(await client.all(`/boards/${board.id}/cards`)).toEqual([]);
    expect(titles(await client.all(`/boards/${board.id}/cards?archived=true`))).toEqual(['sleeper']);
    expect(await client.post(`/cards/${card.id}/move`, { ifMatch: 2, body: { position: 'end' } })).toMatchObject({
      status: 409,
    });
    expect((await client.patch(`/cards/${card.id}`, { ifMatch: 2, body: { title: 'renamed' } })).status).toBe(200);

    const restored = await client.post(`/cards/${card.id}/restore`, { ifMatch: 3 });
    expect(restored.body.data).toMatchObject({ archived_at: null, version: 4, column_id: column.id });
    expect((await client.post(`/cards/${card.id}/restore`, { ifMatch: 4 })).body).toEqual(restored.body);
  });

  it('is restored to the first active column when its own is archived, and to none where there is none', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const second = await client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'Doing' } }));
    const card = await client.createCard(column.id, 'homeless');
    await client.post(`/cards/${card.id}/archive`, { ifMatch: 1 });
    await client.post(`/columns/${column.id}/archive`, { ifMatch: 1 });
    await client.post(`/columns/${second.id}/archive`, { ifMatch: 1 });
    expect(await client.post(`/cards/${card.id}/restore`, { ifMatch: 2 })).toMatchObject({ status: 409 });
    expect((await client.post(`/columns/${second.id}/restore`, { ifMatch: 2 })).status).toBe(200);
    const restored = await client.post(`/cards/${card.id}/restore`, { ifMatch: 2 });
    expect(restored.body.data).toMatchObject({ column_id: second.id, archived_at: null, version: 3 });
  });

  it('is deleted once, with the admin scope and its version', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'gone');
    const answer = await client.delete(`/cards/${card.id}`, { ifMatch: 1 });
    expect([answer.status, answer.body]).toEqual([204, '']);
    expect((await client.delete(`/cards/${card.id}`, { ifMatch: 1 })).status).toBe(404);
    expect((await client.get(`/cards/${card.id}`)).status).toBe(404);
    expect(await client.all(`/boards/${board.id}/cards`)).toEqual([]);
  });

  it('is moved within and across columns and keeps its identifier', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const doing = await client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'Doing' } }));
    const [c, b, a] = [
      await client.createCard(column.id, 'c'),
      await client.createCard(column.id, 'b'),
      await client.createCard(column.id, 'a'),
    ];
    const order = async () => titles(await client.all(`/boards/${board.id}/cards`));
    const move = async (card: Body, place: Body) => {
      const answer = await client.post(`/cards/${card.id}/move`, {
        ifMatch: (await client.card(card.id)).version,
        body: place,
      });
      expect(answer.status).toBe(200);
      return answer.body.data;
    };

    expect(await order()).toEqual(['a', 'b', 'c']);
    await move(a, { after_card_id: b.id });
    expect(await order()).toEqual(['b', 'a', 'c']);
    await move(c, { before_card_id: b.id });
    expect(await order()).toEqual(['c', 'b', 'a']);
    await move(c, { position: 'end' });
    expect(await order()).toEqual(['b', 'a', 'c']);
    const there = await move(b, { column_id: doing.id });
    expect(there).toMatchObject({ column_id: doing.id, identifier: b.identifier, version: 2 });
    expect(await order()).toEqual(['a', 'c', 'b']);
    expect(await move(b, { column_id: doing.id, position: 'start' })).toEqual(there);
    await move(a, { column_id: doing.id, position: there.position });
    expect(await order()).toEqual(['c', 'a', 'b']);
  });

  it('moves neither into an archived column nor to another board', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const shut = await client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'Shut' } }));
    await client.post(`/columns/${shut.id}/archive`, { ifMatch: 1 });
    const other = await client.data(client.post('/boards', { body: { name: 'Other' } }));
    const far = await client.data(client.post(`/boards/${other.id}/columns`, { body: { name: 'Far' } }));
    const card = await client.createCard(column.id, 'stays');
    const move = (columnId: string) =>
      client.post(`/cards/${card.id}/move`, { ifMatch: 1, body: { column_id: columnId } });
    expect(await move(shut.id)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(await move(far.id)).toMatchObject({ status: 422, body: { error: { code: 'validation_error' } } });
    expect(await move(randomUUID())).toMatchObject({ status: 422 });
    expect(await client.post(`/columns/${shut.id}/cards`, { body: { title: 'x' } })).toMatchObject({ status: 409 });
    expect(await client.card(card.id)).toEqual(card);
  });
});

describe('a list of cards', () => {
  it('pages by cursor in column order and refuses a cursor of another list', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const second = await client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'Doing' } }));
    for (let n = 0; n < 3; n += 1) await client.createCard(second.id, `second ${n}`);
    for (let n = 0; n < 4; n += 1) await client.createCard(column.id, `first ${n}`);

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Body = await client.get(
        `/boards/${board.id}/cards?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
      );
      expect(page.status).toBe(200);
      expect(page.body.page.has_more).toBe(page.body.page.next_cursor !== null);
      seen.push(...titles(page.body.data));
      cursor = page.body.page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(['first 3', 'first 2', 'first 1', 'first 0', 'second 2', 'second 1', 'second 0']);

    const first = await client.get(`/boards/${board.id}/cards?limit=2`);
    const foreign = await client.get(
      `/boards/${board.id}/cards?limit=2&column_id=${second.id}&cursor=${encodeURIComponent(first.body.page.next_cursor)}`,
    );
    expect(foreign).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  });

  it('takes every filter, combined by AND', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const pay = await client.createWorkstream('PAY');
    const second = await client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'Doing' } }));
    await client.createCard(column.id, 'plain');
    await client.createCard(second.id, '100% of_it', { priority: 'urgent', due_date: '2030-06-01T00:00:00Z' });
    await client.createCard(column.id, 'Paid', { workstream_id: pay.id, due_date: '2031-06-01T00:00:00Z' });
    const done = await client.createCard(column.id, 'finished');
    await client.patch(`/cards/${done.id}`, { ifMatch: 1, body: { completed: true } });
    const gone = await client.createCard(column.id, 'shelved');
    await client.post(`/cards/${gone.id}/archive`, { ifMatch: 1 });

    const ask = async (query: string) => titles(await client.all(`/boards/${board.id}/cards?${query}`)).sort();
    expect(await ask('')).toEqual(['100% of_it', 'Paid', 'finished', 'plain']);
    expect(await ask(`column_id=${second.id}`)).toEqual(['100% of_it']);
    expect(await ask(`workstream_id=${pay.id}`)).toEqual(['Paid']);
    expect(await ask('priority=urgent')).toEqual(['100% of_it']);
    expect(await ask('completed=true')).toEqual(['finished']);
    expect(await ask('completed=false')).toEqual(['100% of_it', 'Paid', 'plain']);
    expect(await ask('archived=true')).toEqual(['shelved']);
    expect(await ask('due_before=2031-01-01T00:00:00Z')).toEqual(['100% of_it']);
    expect(await ask(`due_after=${encodeURIComponent('2031-01-01T00:00:00+01:00')}`)).toEqual(['Paid']);
    expect(await ask('q=PAI')).toEqual(['Paid']);
    expect(await ask(`q=${encodeURIComponent('0% OF_')}`)).toEqual(['100% of_it']);
    expect(await ask(`q=${encodeURIComponent('%')}&column_id=${column.id}`)).toEqual([]);
    expect(await ask(`assignee_user_id=${randomUUID()}`)).toEqual([]);
    expect(await ask(`label_id=${randomUUID()}`)).toEqual([]);
    expect(await ask('blocked=true')).toEqual([]);
    expect(await ask('blocked=false&priority=urgent')).toEqual(['100% of_it']);
  });
});
