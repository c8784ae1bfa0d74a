import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually, type World, whitePng } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { checked, create, send } from '../files/uploading.ts';
import { type Body, type Client, untilAnswered, workspaceWithBoard } from '../workspace.ts';

/** What the attachment service has stored for a file. */
const keptOf = (world: World, client: Client, { id }: Body) => {
  try {
    return readdirSync(join(dirname(world.logOf('attachment')), 'files', 'kept', client.workspaceId, id)).sort();
  } catch {
    return [];
  }
};

/** A file whose upload goes to the port of the restarted service, where its URL is valid too. */
const moved = async (client: Client, file: Body): Promise<Body> => {
  const answer = await untilAnswered(() => client.post('/files', { body: { name: 'where' } }));
  const { host } = new URL(answer.body.data.upload.url);
  return { ...file, upload: { ...file.upload, url: Object.assign(new URL(file.upload.url), { host }).href } };
};

const image = whitePng(400, 300);
const whatAnImageNeeds = [expect.stringMatching(/^content-.{36}$/), 'rendition-320.webp', 'rendition-400.webp'];

/** Checks that the file becomes clean, can be a cover, and left no other bytes. */
const expectWhole = async (world: World, client: Client, column: Body, file: Body) => {
  expect(await checked(client, file.id)).toMatchObject({ status: 'clean', size: image.length });
  const card = await client.createCard(column.id, 'with a cover');
  const cover = await client.data(client.put(`/cards/${card.id}/cover/${file.id}`));
  for (const { url } of cover.renditions) expect((await fetch(url)).status).toBe(200);
  const content = await client.get(`/files/${file.id}/content`);
  const bytes = await fetch(content.headers.get('location') ?? '').then((answer) => answer.arrayBuffer());
  expect(image.equals(Buffer.from(bytes))).toBe(true);
  await eventually(() => expect(keptOf(world, client, file)).toEqual(whatAnImageNeeds));
};

// The service's own tests cover uploads that break off, bytes that are left over, and a file that kills the process that
// checks it.
export const describeFiles = (worldOf: () => World) =>
  describe('kill -9 of the attachment service', () => {
    it('between the bytes and their row leaves a file that can be uploaded again, and nothing of the first bytes', async () => {
      const world = worldOf();
      await world.restart('attachment', { failpoint: 'after-upload-stored' });
      const { client, column } = await workspaceWithBoard(world);
      const file = await create(client, 'x.png');
      const sent = send(file, 'other bytes').catch(() => undefined);
      await world.exited('attachment');
      expect(await sent).toBeUndefined();
      expect(keptOf(world, client, file)).toHaveLength(1);
      await world.restart('attachment');
      const again = await moved(client, file);
      // The upload that was killed counts as under way until its lease is over.
      await eventually(async () => expect((await send(again, image)).status).toBe(200));
      await expectWhole(world, client, column, file);
    });

    it('amid renditions leaves a file that another process checks', async () => {
      const world = worldOf();
      await world.restart('attachment', { failpoint: 'amid-renditions' });
      const { client, column } = await workspaceWithBoard(world);
      const file = await create(client, 'x.png');
      expect((await send(file, image)).status).toBe(200);
      await world.exited('attachment');
      await world.restart('attachment-2');
      await expectWhole(world, client, column, file);
    });

    it('amid a check does not hold the file up for long: another instance takes over', async () => {
      const world = worldOf();
      await world.restart('attachment', { failpoint: 'amid-check' });
      const { client } = await workspaceWithBoard(world);
      let isGone = false;
      void world.exited('attachment').then(() => {
        isGone = true;
      });
      const files: Body[] = [];
      while (!isGone) {
        const made = await untilAnswered(() => client.post('/files', { body: { name: 'x' } }));
        const answer = await send(made.body.data, 'hello').catch(() => undefined);
        if (answer?.status === 200) files.push(made.body.data);
      }
      expect(files.length).toBeGreaterThan(0);
      for (const { id } of files) expect(await checked(client, id)).toMatchObject({ status: 'clean' });
    });
  });
