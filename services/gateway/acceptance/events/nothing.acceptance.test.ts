import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Fixture, newFixture } from '../routes/fixture.ts';
import type { Answer, Body } from '../workspace.ts';
import { watchLog } from './log.ts';

const stack = await sharedStack();

let fixture: Fixture;
let log: Awaited<ReturnType<typeof watchLog>>;
beforeEach(async () => {
  fixture = await newFixture(stack);
  log = await watchLog(fixture.client);
});

// Requests that every route refuses are sent by `refusals`, `isolation` and `deleted-boards`, which watch the log too.
describe('a refused write makes no event', () => {
  it('refused because of the state of others', async () => {
    const { client, column, card, other, board, workstream, adopting } = fixture;
    const key = randomUUID();
    await client.data(client.post('/labels', { key, body: { name: 'with a key' } }));
    await client.data(client.put(`/cards/${card.id}/dependencies/${other.id}`));
    await client.data(client.post(`/workstreams/${workstream.id}/archive`, { ifMatch: workstream.version }));
    const file = await client.data(client.post('/files', { body: { name: 'without bytes' } }));
    await client.data(client.post(`/columns/${column.id}/archive`, { ifMatch: column.version }));
    await log.news();
    const { version } = await client.card(card.id);
    const title = 'refused';
    const attempts = [
      () => client.post('/labels', { key, body: { name: 'for something else' } }),
      () => client.post('/workstreams', { body: { name: 'Main', prefix: 'MAIN' } }),
      () => client.put(`/cards/${other.id}/dependencies/${card.id}`),
      () => client.put(`/cards/${card.id}/dependencies/${card.id}`),
      () => client.put(`/cards/${card.id}/cover/${file.id}`),
      () => client.post(`/columns/${column.id}/cards`, { body: { title } }),
      () => client.transfer({ ...card, version }, workstream.id),
      () => client.transfer({ ...card, version }, adopting.id),
      () => client.patch(`/cards/${card.id}`, { ifMatch: version, body: { title, workstream_id: workstream.id } }),
      () => client.patch(`/boards/${board.id}`, { ifMatch: 1, body: { default_workstream_id: workstream.id } }),
    ];
    for (const attempt of attempts) {
      const { status, text } = await attempt();
      expect(status, text).toBeGreaterThanOrEqual(400);
      expect(status, text).toBeLessThan(500);
    }
    expect(await log.news()).toEqual([]);
  });

  it('refused for some cards of many', async () => {
    const { client, card, other, adopting, column } = fixture;
    const cards = [
      { card: card.id, version: 999 },
      { card: other.id, version: (await client.card(other.id)).version },
      { card: randomUUID(), version: 1 },
    ];
    const { data } = (await client.post('/cards/bulk', { body: { cards, patch: { title: 'many' } } })).body;
    expect(data.map(({ status }: Body) => status)).toEqual([412, 200, 404]);
    expect((await log.news()).map(({ subject }) => subject.id)).toEqual([other.id]);

    const adopt = (numbers: number[]) =>
      client.data(
        client.post(`/workstreams/${adopting.id}/adoptions`, {
          body: { cards: numbers.map((number) => ({ number, column_id: column.id, title: `adopted ${number}` })) },
        }),
      );
    const [five] = await adopt([5]);
    const again = await adopt([5, 6]);
    const created = [five.data.id, again[1].data.id];
    expect((await log.news()).map(({ type, subject }) => [type, subject.id])).toEqual(
      created.map((id) => ['card.created', id]),
    );
  });
});

describe('a write that changes nothing makes no event', () => {
  it('of the same values, of the same state, and of what is gone already', async () => {
    const { client, board, column, card, other, label, comment, subtask, workstream, file } = fixture;
    const member = randomUUID();
    const path = `/cards/${card.id}`;
    await client.data(client.put(`/boards/${board.id}/members/${member}`, { body: { role: 'owner' } }));
    await client.data(client.put(`${path}/labels/${label.id}`));
    await client.data(client.put(`${path}/assignees/${member}`));
    await client.data(client.put(`${path}/dependencies/${other.id}`));
    const { version } = await client.card(card.id);
    const done = await client.data(client.patch(path, { ifMatch: version, body: { completed: true } }));
    const gone = await client.createCard(column.id, 'gone');
    const archived = await client.data(client.post(`/cards/${gone.id}/archive`, { ifMatch: gone.version }));
    await log.news();

    const same = (at: string, { version: ifMatch }: Body, body: Body) => client.patch(at, { ifMatch, body });
    const attempts: Promise<Answer>[] = [
      same(path, done, { title: done.title, completed: true, description: done.description }),
      same(`/boards/${board.id}`, board, { name: board.name, visibility: board.visibility }),
      same(`/columns/${column.id}`, column, { name: column.name }),
      same(`/labels/${label.id}`, label, { name: label.name }),
      same(`/comments/${comment.id}`, comment, { body: comment.body }),
      same(`/subtasks/${subtask.id}`, subtask, { title: subtask.title, completed: false }),
      same(`/workstreams/${workstream.id}`, workstream, { name: workstream.name }),
      client.post(`/cards/${gone.id}/archive`, { ifMatch: archived.version }),
      client.post(`${path}/restore`, { ifMatch: done.version }),
      client.post(`/boards/${board.id}/restore`, { ifMatch: board.version }),
      client.post(`/columns/${column.id}/restore`, { ifMatch: column.version }),
      client.put(`/boards/${board.id}/members/${member}`),
      client.put(`${path}/labels/${label.id}`),
      client.put(`${path}/assignees/${member}`),
      client.put(`${path}/dependencies/${other.id}`),
      client.put(`${path}/cover/${file.id}`),
      client.put(`/subtasks/${subtask.id}/linked-file/${file.id}`),
      client.delete(`/boards/${board.id}/members/${randomUUID()}`),
      client.delete(`/cards/${other.id}/labels/${label.id}`),
      client.delete(`/cards/${other.id}/assignees/${member}`),
      client.delete(`/cards/${other.id}/dependencies/${card.id}`),
      client.delete(`/cards/${other.id}/cover`),
      client.post('/cards/bulk', { body: { cards: [{ card: card.id }], add_labels: [label.id] } }),
      client.post('/cards/bulk', { body: { cards: [{ card: gone.id, version: archived.version }], archive: true } }),
    ];
    for (const { status, text } of await Promise.all(attempts)) expect(status, text).toBeLessThan(300);
    expect(await log.news()).toEqual([]);
  });
});
