import { eventually, sharedStack, unsigned, whitePng } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { checked, create, send, uploaded } from './files/uploading.ts';
import { clientOf, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

describe('a file', () => {
  it('is made, uploaded, checked, listed, downloaded and deleted', async () => {
    const client = await clientOf(stack);
    const key = 'make-it-once';
    const made = await client.post('/files', { body: { name: 'notes.txt' }, key });
    expect(made.status).toBe(201);
    const file = made.body.data;
    expect(made.headers.get('location')).toBe(`/api/kanban/v1/files/${file.id}`);
    expect(file).toMatchObject({ type: 'file', name: 'notes.txt', status: 'pending', content_type: null, size: null });
    const replay = await client.post('/files', { body: { name: 'notes.txt' }, key });
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(replay.body).toEqual(made.body);

    const path = `/files/${file.id}`;
    expect(await client.get(`${path}/content`)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect((await send(file, 'hello')).body.data).toMatchObject({ status: 'scanning', size: 5 });
    expect(await checked(client, file.id)).toMatchObject({ status: 'clean', content_type: 'application/octet-stream' });
    expect(await client.get(path)).toMatchObject({ status: 200, body: { data: { status: 'clean', size: 5 } } });
    expect(await send(file, 'again')).toMatchObject({ status: 409 });
    expect((await client.all('/files')).map(({ id }) => id)).toEqual([file.id]);

    const content = await client.get(`${path}/content`);
    expect(content.status).toBe(302);
    const url = content.headers.get('location') ?? '';
    const bytes = await fetch(url);
    expect(await bytes.text()).toBe('hello');
    expect(bytes.headers.get('x-content-type-options')).toBe('nosniff');
    expect(bytes.headers.get('content-disposition')).toMatch(/^attachment; filename="notes.txt"/);

    expect((await client.delete(path)).status).toBe(204);
    expect((await client.delete(path)).status).toBe(404);
    expect((await client.get(path)).status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
    expect(await client.all('/files')).toEqual([]);
  });
});

describe('a cover', () => {
  it('changes neither the card’s version nor its ETag', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'with a cover');
    const before = await client.get(`/cards/${card.id}`);
    const path = `/cards/${card.id}/cover`;
    expect(await client.get(path)).toMatchObject({ status: 204, body: '' });
    expect((await client.delete(path)).status).toBe(204);

    const image = await uploaded(client, 'wide.png', whitePng(700, 350));
    const set = await client.put(`${path}/${image.id}`);
    expect(set.status).toBe(200);
    expect(set.body.data).toEqual({
      file_id: image.id,
      name: 'wide.png',
      content_type: 'image/png',
      width: 700,
      height: 350,
      renditions: [
        { width: 320, height: 160, url: expect.any(String) },
        { width: 640, height: 320, url: expect.any(String) },
        { width: 700, height: 350, url: expect.any(String) },
      ],
    });
    expect(unsigned((await client.put(`${path}/${image.id}`)).body)).toEqual(unsigned(set.body));
    expect(unsigned((await client.get(path)).body)).toEqual(unsigned(set.body));
    const rendition = await fetch(set.body.data.renditions[0].url);
    expect([rendition.status, rendition.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const after = await client.get(`/cards/${card.id}`);
    expect([after.headers.get('etag'), after.body]).toEqual([before.headers.get('etag'), before.body]);

    expect((await client.delete(path)).status).toBe(204);
    expect((await client.get(path)).status).toBe(204);
  });
});

describe('a linked file', () => {
  // A busy card service gets it from the feed, later than the answer; services/card tests what comes with the answer.
  it('shows on its subtask, one at a time, and vanishes with the file', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'with a subtask');
    const subtask = await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'read it' } }));
    const counted = await client.card(card.id);
    const expectLinked = (file: { id: string; name: string } | null) =>
      eventually(async () =>
        expect((await client.all(`/cards/${card.id}/subtasks`))[0].linked_file).toEqual(
          file && { id: file.id, name: file.name },
        ),
      );
    const etag = async () => (await client.get(`/subtasks/${subtask.id}`)).headers.get('etag');
    const path = `/subtasks/${subtask.id}/linked-file`;
    const [one, two] = [await uploaded(client, 'one.txt', 'one'), await uploaded(client, 'two.txt', 'two')];
    for (let time = 0; time < 4; time += 1) {
      const file = time % 2 ? one : two;
      const answer = await client.put(`${path}/${file.id}`);
      expect(answer).toMatchObject({ status: 200, body: { data: { id: file.id, name: file.name } } });
      await expectLinked(file);
      expect(await etag()).toBe(`"${time + 2}"`);
    }
    expect((await client.put(`${path}/${one.id}`)).body).toEqual((await client.put(`${path}/${one.id}`)).body);
    expect(await etag()).toBe('"5"');
    const stale = { ifMatch: 4, body: { title: 'read both' } };
    expect((await client.patch(`/subtasks/${subtask.id}`, stale)).status).toBe(412);
    for (const _ of ['off', 'again']) {
      expect((await client.delete(path)).status).toBe(204);
      await expectLinked(null);
      expect(await etag()).toBe('"6"');
    }
    expect(await client.card(card.id)).toEqual(counted);
    expect((await client.put(`${path}/${card.id}`)).status).toBe(404);
    expect((await client.put(`/subtasks/${card.id}/linked-file/${one.id}`)).status).toBe(404);
    expect((await client.put(`${path}/${(await create(client, 'pending')).id}`)).status).toBe(409);

    await client.put(`${path}/${one.id}`);
    await client.delete(`/files/${one.id}`);
    await expectLinked(null);
    expect((await client.card(card.id)).version).toBe(card.version + 1);
  });
});
