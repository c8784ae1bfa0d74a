import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { boxes, checked, create, png, send, uploaded } from './files/uploading.ts';
import { expectEach, refused, unusable, uses } from './files/uses.ts';
import { type Client, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

describe('a file cannot be used', () => {
  it('before its bytes have come', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const { content, cover, link } = await uses(client, column);
    const { id } = await create(client, 'pending.png');
    await expectEach(id, [content, cover, link], refused(409, 'conflict', 'The file has not been uploaded yet'));
  });

  it('once it was refused, whatever for', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const { content, cover, link } = await uses(client, column);
    const [empty, large] = [await create(client, 'empty.png'), await create(client, 'large.png')];
    expect(await send(empty, '')).toMatchObject(refused(422, 'validation_error', 'The file is empty'));
    expect(await send(large, new Uint8Array(26 * 1024 * 1024))).toMatchObject(refused(413, 'payload_too_large'));
    const bomb = await uploaded(client, 'bomb.png', png(20_000, 15_000));
    const cut = await uploaded(client, 'cut.png', png(500, 500).subarray(0, -30));
    const endless = await uploaded(client, 'endless.avif', boxes(1_000));
    const reasons = ['empty', 'too_large', 'too_many_pixels', 'broken_image', 'too_complex'];
    for (const [at, { id }] of [empty, large, bomb, cut, endless].entries()) {
      expect(await checked(client, id)).toMatchObject({ status: 'rejected', rejection: reasons[at] });
      await expectEach(id, [content, cover, link], unusable('The file is rejected'));
    }
    expect(await send(empty, 'again')).toMatchObject(refused(409, 'conflict'));
  });

  it('as a cover where it is no raster image, whatever its name', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const { content, cover, link } = await uses(client, column);
    for (const bytes of ['<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', '%PDF-1.7\n', '<!doctype html>']) {
      const { id } = await uploaded(client, 'holiday.png', bytes);
      await expectEach(id, [cover], unusable('The file is not a raster image'));
      expect((await content(id)).status).toBe(302);
      expect((await link(id)).status).toBe(200);
    }
  });

  it('once it is gone, nor where the board is', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const { card, content, cover, link } = await uses(client, column);
    const [gone, image] = [await uploaded(client, 'gone.png', png(9, 9)), await uploaded(client, 'x.png', png(9, 9))];
    await client.delete(`/files/${gone.id}`);
    await expectEach(gone.id, [content, cover, link], refused(404, 'not_found', 'File not found'));
    await client.delete(`/boards/${board.id}`, { ifMatch: board.version });
    await expectEach(image.id, [cover, link], refused(409, 'conflict', 'The board of the card is deleted'));
    expect(await client.delete(`/cards/${card.id}/cover`)).toMatchObject(refused(409, 'conflict'));
    expect(await client.post('/files', { body: { name: 'late', board_id: board.id } })).toMatchObject(
      refused(404, 'not_found', 'Board not found'),
    );
  });
});

describe('a request for a file', () => {
  it('must have a body that names it, and no more', async () => {
    const { client } = await workspaceWithBoard(stack);
    const post = (options: Parameters<Client['post']>[1]) => client.post('/files', options);
    expect(await post({ raw: '{' })).toMatchObject(refused(400, 'invalid_request'));
    expect(await post({ raw: JSON.stringify({ name: 'x'.repeat(1024 * 1024) }) })).toMatchObject(
      refused(413, 'payload_too_large'),
    );
    expect(await post({ raw: 'x', headers: { 'content-type': 'image/png' } })).toMatchObject(
      refused(415, 'unsupported_media_type'),
    );
    for (const body of [{}, { name: ' ' }, { name: 'x'.repeat(256) }, { name: 'a\0b' }, { name: 'x', size: 5 }]) {
      expect(await post({ body })).toMatchObject(refused(422, 'validation_error'));
    }
    const key = 'one-key';
    expect((await post({ body: { name: 'one' }, key })).status).toBe(201);
    expect(await post({ body: { name: 'two' }, key })).toMatchObject(refused(422, 'idempotency_key_reused'));
  });

  it('takes any name, and says it again in every header', async () => {
    const { client } = await workspaceWithBoard(stack);
    for (const name of ['../../etc/passwd', 'Größe 😀.png', 'a"b\r\nc.txt', '😀'.repeat(255), '.', 'CON']) {
      const { id } = await uploaded(client, name, 'x');
      expect(await client.data(client.get(`/files/${id}`))).toMatchObject({ name });
      const { headers } = await client.get(`/files/${id}/content`);
      const [, said = ''] =
        /^attachment; filename="[^"/\\]*"; filename\*=UTF-8''(\S+)$/.exec(
          (await fetch(headers.get('location') ?? '')).headers.get('content-disposition') ?? '',
        ) ?? [];
      expect(decodeURIComponent(said)).toBe(name.replace(/[/\r\n]/g, '_'));
    }
  });
});
