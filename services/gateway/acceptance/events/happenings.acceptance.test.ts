import { randomUUID } from 'node:crypto';
import { sharedStack, whitePng } from '@cardinal/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { checked, create, send, uploaded } from '../files/uploading.ts';
import { type Body, type Client, clientOf, workspaceWithBoard } from '../workspace.ts';
import { logOf, typesOf, watchLog } from './log.ts';

const stack = await sharedStack();
let client: Client;
let board: Body;
let column: Body;
let log: Awaited<ReturnType<typeof watchLog>>;
beforeEach(async () => {
  ({ client, board, column } = await workspaceWithBoard(stack));
  log = await watchLog(client);
});

/** Type, changed fields and former values. */
const gist = ({ type, changed, previous }: Body) => ({ type, changed: changed.toSorted(), previous });

describe('the events of a card', () => {
  it('are one where it moves to another board, transfers with an edit, or is restored to another column', async () => {
    const elsewhere = await client.data(client.post('/boards', { body: { name: 'Elsewhere' } }));
    const there = await client.data(client.post(`/boards/${elsewhere.id}/columns`, { body: { name: 'There' } }));
    const pay = await client.createWorkstream('PAY');
    let card = await client.createCard(column.id, 'card');
    await log.news();

    const move = { ifMatch: card.version, body: { column_id: there.id } };
    card = await client.data(client.post(`/cards/${card.id}/move`, move));
    const [moved, ...none] = await log.news();
    expect(none).toEqual([]);
    expect(moved).toMatchObject({ type: 'card.moved', board_id: elsewhere.id, data: card });
    expect(moved.changed).toEqual(expect.arrayContaining(['board_id', 'column_id']));
    expect(moved.previous).toMatchObject({ board_id: board.id, column_id: column.id });

    const former = card.identifier;
    const edit = { ifMatch: card.version, body: { title: 'edited', workstream_id: pay.id } };
    card = await client.data(client.patch(`/cards/${card.id}`, edit));
    expect((await log.news()).map(gist)).toEqual([
      {
        type: 'card.transferred',
        changed: ['identifier', 'title', 'workstream'],
        previous: { identifier: former, title: 'card' },
      },
    ]);

    card = await client.data(client.post(`/cards/${card.id}/archive`, { ifMatch: card.version }));
    await client.data(client.post(`/columns/${there.id}/archive`, { ifMatch: there.version }));
    const open = await client.data(client.post(`/boards/${elsewhere.id}/columns`, { body: { name: 'Open' } }));
    card = await client.data(client.post(`/cards/${card.id}/restore`, { ifMatch: card.version }));
    expect(card.column_id).toBe(open.id);
    const last = (await log.news()).at(-1);
    expect(last).toMatchObject({ type: 'card.restored', previous: { column_id: there.id }, data: card });
  });

  it('are its whole activity under every identifier, and nothing of other cards', async () => {
    const pay = await client.createWorkstream('PAY');
    const made = await client.createCard(column.id, 'card');
    const other = await client.createCard(column.id, 'other');
    await client.data(client.post(`/cards/${made.id}/comments`, { body: { body: 'said' } }));
    await client.data(client.post(`/cards/${other.id}/comments`, { body: { body: 'of the other' } }));
    await client.data(client.put(`/cards/${made.id}/dependencies/${other.id}`));
    const card = await client.data(client.transfer(await client.card(made.id), pay.id));
    await client.data(client.post(`/cards/${made.id}/subtasks`, { body: { title: 'part' } }));
    const all = await logOf(client);
    const types = ['card.created', 'comment.created', 'dependency.added', 'card.transferred', 'subtask.created'];
    for (const name of [made.id, made.identifier, card.identifier, card.identifier.toLowerCase()]) {
      const events = await client.all(`/cards/${name}/events`);
      expect(typesOf(events)).toEqual(types);
      expect(events).toEqual(all.filter(({ card: of }) => of?.id === made.id));
      expect(await client.all(`/events?card=${name}`)).toEqual(events);
    }
    expect(all.filter(({ card: of }) => of?.id === made.id).map(({ card: of }) => of.identifier)).toEqual([
      ...Array.from({ length: 3 }, () => made.identifier),
      ...[card.identifier, card.identifier],
    ]);
  });

  it('leave out what is deleted with it', async () => {
    const card = await client.createCard(column.id, 'card');
    const other = await client.createCard(column.id, 'other');
    await client.data(client.post(`/cards/${card.id}/comments`, { body: { body: 'said' } }));
    await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'part' } }));
    await client.data(client.put(`/cards/${card.id}/dependencies/${other.id}`));
    const label = await client.data(client.post('/labels', { body: { name: 'bug' } }));
    await client.data(client.put(`/cards/${card.id}/labels/${label.id}`));
    const image = await uploaded(client, 'a.png', whitePng(4, 4));
    await client.data(client.put(`/cards/${other.id}/cover/${image.id}`));
    await log.news();

    const { version } = await client.card(card.id);
    await client.data(client.delete(`/cards/${card.id}`, { ifMatch: version }));
    await client.data(client.delete(`/labels/${label.id}`, { ifMatch: label.version }));
    await client.data(client.delete(`/files/${image.id}`));
    await client.data(client.delete(`/boards/${board.id}`, { ifMatch: board.version }));
    const events = await log.news();
    expect(typesOf(events)).toEqual(['card.deleted', 'label.deleted', 'file.deleted', 'board.deleted']);
    expect(events.map(({ data }) => data)).toEqual([null, null, null, null]);
  });
});

describe('the events of a file', () => {
  it('are its creation, the arrival of its bytes and the result of its check, all by its creator', async () => {
    const file = await create(client, 'a.png');
    await send(file, whitePng(8, 8));
    const clean = await checked(client, file.id);
    const infected = await create(client, 'b.png');
    await send(infected, '');
    const rejected = await checked(client, infected.id);
    expect(rejected.status).toBe('rejected');
    const events = await log.news();
    const told = (id: string) => events.filter(({ subject }) => subject.id === id);
    expect(told(file.id).map(({ type, data: { status } }) => [type, status])).toEqual([
      ['file.created', 'pending'],
      ['file.updated', 'scanning'],
      ['file.updated', 'clean'],
    ]);
    expect(told(file.id).at(-1).data).toEqual(clean);
    expect(told(infected.id).at(-1)).toMatchObject({ type: 'file.updated', data: rejected });
    for (const { actor, subject } of events) {
      expect([actor.user_id, subject.version]).toEqual([client.userId, null]);
    }
  });
});

describe('a page of the log', () => {
  it('can be filtered by types, families, boards and cards, and continues by its cursor and after any event', async () => {
    const other = await client.data(client.post('/boards', { body: { name: 'Other' } }));
    const there = await client.data(client.post(`/boards/${other.id}/columns`, { body: { name: 'There' } }));
    const card = await client.createCard(column.id, 'card');
    await client.createCard(there.id, 'there');
    await client.data(client.post(`/cards/${card.id}/comments`, { body: { body: 'said' } }));
    const all = await logOf(client);
    const only = async (query: string) => typesOf(await client.all(`/events?${query}`));
    expect(await only('types=comment.created')).toEqual(['comment.created']);
    expect(await only('types=card.*&types=comment.created')).toEqual([
      'card.created',
      'card.created',
      'comment.created',
    ]);
    expect(await only(`types=column.*&board_id=${other.id}`)).toEqual(['column.created']);
    expect(await only(`types=card.*&board_id=${other.id}&board_id=${board.id}`)).toEqual([
      'card.created',
      'card.created',
    ]);
    for (const query of ['types=card.flown', 'types=', 'board_id=42', 'after=-1', 'after=1e3', 'after=x', 'card=42']) {
      expect([query, (await client.get(`/events?${query}`)).status]).toEqual([query, 400]);
    }
    for (const after of [0, 1, all.length - 1, all.length]) {
      const rest = (await client.all(`/events?after=${after}&types=board.*&types=column.*&types=card.*`)).map(
        ({ seq }) => seq,
      );
      expect(rest).toEqual(
        all.filter(({ seq, type }) => seq > after && /^(board|column|card)\./.test(type)).map(({ seq }) => seq),
      );
    }
    const pages: Body[] = [];
    for (let cursor = ''; ; ) {
      const { data, page } = (await client.get(`/events?limit=2${cursor}`)).body;
      pages.push(...data);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(pages.slice(0, all.length)).toEqual(all);
  });

  it('is empty for a workspace in which nothing happened', async () => {
    const nobody = await clientOf(stack);
    expect((await nobody.get('/events')).body).toEqual({
      data: [],
      page: { next_cursor: null, has_more: false, head: 0 },
    });
    expect((await nobody.get(`/cards/${randomUUID()}/events`)).status).toBe(404);
  });
});
