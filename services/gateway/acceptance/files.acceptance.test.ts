import { sharedStack, unsigned } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { checked, create, png, send, uploaded } from './files/uploading.ts';
import { type Client, clientOf, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();
const mebibyte = 1024 * 1024;

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

  it('of 300 megapixels, cut short, or too large is refused clearly', async () => {
    const client = await clientOf(stack);
    const bomb = png(20_000, 15_000);
    expect(bomb.length).toBeLessThan(500_000);
    expect(await uploaded(client, 'bomb.png', bomb)).toMatchObject({
      status: 'rejected',
      rejection: 'too_many_pixels',
    });
    const whole = png(500, 500);
    const cut = await uploaded(client, 'cut.png', whole.subarray(0, whole.length - 30));
    expect(cut).toMatchObject({ status: 'rejected', rejection: 'broken_image' });
    expect(await client.get(`/files/${cut.id}/content`)).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_error' } },
    });
    const large = await create(client, 'large.bin');
    expect(await send(large, new Uint8Array(26 * mebibyte))).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large' } },
    });
    expect(await checked(client, large.id)).toMatchObject({ status: 'rejected', rejection: 'too_large' });
  });

  it('is as visible as its board', async () => {
    const { client } = await workspaceWithBoard(stack);
    const board = await client.data(client.post('/boards', { body: { name: 'Secret', visibility: 'private' } }));
    const file = await uploaded(client, 'plan.png', png(40, 30), { board_id: board.id });
    const open = await uploaded(client, 'open.txt', 'x');
    const other = await clientOf(stack, { workspace: client.workspaceId });
    expect((await other.get(`/files/${file.id}`)).status).toBe(404);
    expect((await other.get(`/files/${file.id}/content`)).status).toBe(404);
    expect((await other.delete(`/files/${file.id}`)).status).toBe(404);
    expect((await other.post('/files', { body: { name: 'x', board_id: board.id } })).status).toBe(404);
    expect((await other.all('/files')).map(({ id }) => id)).toEqual([open.id]);
    expect((await client.all('/files')).map(({ id }) => id)).toEqual([file.id, open.id]);
    await client.put(`/boards/${board.id}/members/${other.userId}`);
    expect((await other.get(`/files/${file.id}`)).status).toBe(200);
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

    const image = await uploaded(client, 'wide.png', png(700, 350));
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

  it('is refused where the file is no ready image, and vanishes with it', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'bare');
    const path = `/cards/${card.id}/cover`;
    const put = async (id: string) => (await client.put(`${path}/${id}`)).status;
    expect(await put((await create(client, 'pending.png')).id)).toBe(409);
    const drawing = await uploaded(client, 'x.png', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>');
    expect(await client.put(`${path}/${drawing.id}`)).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_error', details: [{ path: ['file_id'] }] } },
    });
    expect(await put(card.id)).toBe(404);
    const image = await uploaded(client, 'x.png', png(10, 10));
    expect(await put(image.id)).toBe(200);
    await client.delete(`/files/${image.id}`);
    expect((await client.get(path)).status).toBe(204);
  });
});

describe('a linked file', () => {
  it('shows on its subtask at once, one at a time, and vanishes with the file', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'with a subtask');
    const subtask = await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'read it' } }));
    const counted = await client.card(card.id);
    const linked = async () => (await client.all(`/cards/${card.id}/subtasks`))[0].linked_file;
    const etag = async () => (await client.get(`/subtasks/${subtask.id}`)).headers.get('etag');
    const path = `/subtasks/${subtask.id}/linked-file`;
    const [one, two] = [await uploaded(client, 'one.txt', 'one'), await uploaded(client, 'two.txt', 'two')];
    for (let time = 0; time < 20; time += 1) {
      const file = time % 2 ? one : two;
      const answer = await client.put(`${path}/${file.id}`);
      expect(answer).toMatchObject({ status: 200, body: { data: { id: file.id, name: file.name } } });
      expect(await linked()).toEqual({ id: file.id, name: file.name });
      expect(await etag()).toBe(`"${time + 2}"`);
    }
    expect((await client.put(`${path}/${one.id}`)).body).toEqual((await client.put(`${path}/${one.id}`)).body);
    expect(await etag()).toBe('"21"');
    const stale = { ifMatch: 20, body: { title: 'read both' } };
    expect((await client.patch(`/subtasks/${subtask.id}`, stale)).status).toBe(412);
    for (const _ of ['off', 'again']) {
      expect((await client.delete(path)).status).toBe(204);
      expect(await etag()).toBe('"22"');
    }
    expect(await linked()).toBeNull();
    expect(await client.card(card.id)).toEqual(counted);
    expect((await client.put(`${path}/${card.id}`)).status).toBe(404);
    expect((await client.put(`/subtasks/${card.id}/linked-file/${one.id}`)).status).toBe(404);
    expect((await client.put(`${path}/${(await create(client, 'pending')).id}`)).status).toBe(409);

    await client.put(`${path}/${one.id}`);
    await client.delete(`/files/${one.id}`);
    expect(await linked()).toBeNull();
    expect((await client.card(card.id)).version).toBe(card.version + 1);
  });

  it('of a private board is not shown to who cannot see that board', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'open to all');
    const subtask = await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'secret' } }));
    const board = await client.data(client.post('/boards', { body: { name: 'Secret', visibility: 'private' } }));
    const file = await uploaded(client, 'plan.txt', 'x', { board_id: board.id });
    await client.put(`/subtasks/${subtask.id}/linked-file/${file.id}`);
    const other = await clientOf(stack, { workspace: client.workspaceId });
    const seenBy = async (who: Client) => (await who.all(`/cards/${card.id}/subtasks`))[0].linked_file;
    expect(await seenBy(client)).toEqual({ id: file.id, name: 'plan.txt' });
    expect(await seenBy(other)).toBeNull();
  });
});

describe('a deleted card', () => {
  it('leaves its files, which can be a cover elsewhere', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const [first, second] = [await client.createCard(column.id, 'first'), await client.createCard(column.id, 'second')];
    const image = await uploaded(client, 'x.png', png(10, 10));
    await client.put(`/cards/${first.id}/cover/${image.id}`);
    await client.delete(`/cards/${first.id}`, { ifMatch: first.version });
    expect((await client.get(`/cards/${first.id}/cover`)).status).toBe(404);
    expect((await client.put(`/cards/${first.id}/cover/${image.id}`)).status).toBe(404);
    expect((await client.put(`/cards/${second.id}/cover/${image.id}`)).status).toBe(200);
  });

  it('of a deleted board takes no cover and no link', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const card = await client.createCard(column.id, 'stranded');
    const subtask = await client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'x' } }));
    const image = await uploaded(client, 'x.png', png(10, 10));
    await client.delete(`/boards/${board.id}`, { ifMatch: board.version });
    expect((await client.put(`/cards/${card.id}/cover/${image.id}`)).status).toBe(409);
    expect((await client.put(`/subtasks/${subtask.id}/linked-file/${image.id}`)).status).toBe(409);
  });
});
