import { readdirSync, utimesSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { eventually, startWorld, type World } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { checked, create, png, send, uploaded } from './files/uploading.ts';
import { type Body, type Client, untilAnswered, workspaceWithBoard } from './workspace.ts';

const hourMs = 3_600_000;
/** Whoever is killed amid a check is missed after this long. */
const env = { attachment: { CHECK_LEASE_MS: '1000' } };
const patience = { timeoutMs: 30_000 };

/** Everything that a world's attachment service has stored. */
const storedIn = (world: World) => {
  const files = join(dirname(world.logOf('attachment')), 'files');
  const arriving = join(files, 'arriving');
  return {
    arriving: () => readdirSync(arriving).map((name) => join(arriving, name)),
    kept: (client: Client, { id }: Body) => {
      try {
        return readdirSync(join(files, 'kept', client.workspaceId, id)).sort();
      } catch {
        return [];
      }
    },
  };
};

/** A file whose upload goes to where the service listens since it was started again: the URL holds there as well. */
const moved = async (client: Client, file: Body): Promise<Body> => {
  const answer = await untilAnswered(() => client.post('/files', { body: { name: 'where' } }));
  const { host } = new URL(answer.body.data.upload.url);
  return { ...file, upload: { ...file.upload, url: Object.assign(new URL(file.upload.url), { host }).href } };
};

const image = png(400, 300);
const whatAnImageNeeds = [expect.stringMatching(/^content-.{36}$/), 'rendition-320.webp', 'rendition-400.webp'];

/** That the file ends clean, serves as a cover, and has stored nothing else. */
const expectWhole = async (world: World, client: Client, column: Body, file: Body) => {
  expect(await checked(client, file.id, patience)).toMatchObject({ status: 'clean', size: image.length });
  const card = await client.createCard(column.id, 'with a cover');
  const cover = await client.data(client.put(`/cards/${card.id}/cover/${file.id}`));
  for (const { url } of cover.renditions) expect((await fetch(url)).status).toBe(200);
  const content = await client.get(`/files/${file.id}/content`);
  const bytes = await fetch(content.headers.get('location') ?? '').then((answer) => answer.arrayBuffer());
  expect(image.equals(Buffer.from(bytes))).toBe(true);
  await eventually(() => expect(storedIn(world).kept(client, file)).toEqual(whatAnImageNeeds));
};

describe('kill -9 of the attachment service', () => {
  it('amid an upload leaves a file that can be uploaded again, and in the end no bytes', async () => {
    const world = await startWorld({ env });
    try {
      const { client, column } = await workspaceWithBoard(world);
      const stored = storedIn(world);
      const file = await create(client, 'x.png');
      const { hostname, port, pathname, search } = new URL(file.upload.url);
      const socket = connect(Number(port), hostname).on('error', () => {});
      socket.write(
        `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(70_000)}`,
      );
      await eventually(() => expect(stored.arriving()).toHaveLength(1));
      await world.kill('attachment');
      await world.restart('attachment');
      const again = await moved(client, file);
      expect(await client.data(client.get(`/files/${file.id}`))).toMatchObject({ status: 'pending' });
      // The upload that was killed counts as under way until its lease is over.
      await eventually(async () => expect((await send(again, image)).status).toBe(200), patience);
      await expectWhole(world, client, column, file);

      const [left = ''] = stored.arriving();
      const then = new Date(Date.now() - 2 * hourMs);
      utimesSync(left, then, then);
      await world.restart('attachment');
      await eventually(() => expect(stored.arriving()).toEqual([]));
    } finally {
      await world.stop();
    }
  });

  it('between the bytes and their row leaves a file that can be uploaded again, and nothing of the first bytes', async () => {
    const world = await startWorld({ env, failpoints: { attachment: 'after-upload-stored' } });
    try {
      const { client, column } = await workspaceWithBoard(world);
      const file = await create(client, 'x.png');
      const sent = send(file, 'other bytes').catch(() => undefined);
      await world.exited('attachment');
      expect(await sent).toBeUndefined();
      expect(storedIn(world).kept(client, file)).toHaveLength(1);
      await world.restart('attachment');
      const again = await moved(client, file);
      // The upload that was killed counts as under way until its lease is over.
      await eventually(async () => expect((await send(again, image)).status).toBe(200), patience);
      await expectWhole(world, client, column, file);
    } finally {
      await world.stop();
    }
  });

  it.each(['amid-check', 'amid-renditions'])(
    '%s leaves a file that is checked by whoever comes next',
    async (failpoint) => {
      const world = await startWorld({ env, failpoints: { attachment: failpoint } });
      try {
        const { client, column } = await workspaceWithBoard(world);
        const file = await create(client, 'x.png');
        expect((await send(file, image)).status).toBe(200);
        await world.exited('attachment');
        await world.restart('attachment');
        await expectWhole(world, client, column, file);
      } finally {
        await world.stop();
      }
    },
  );

  it('amid a check does not hold the file up for long: another instance takes over', async () => {
    const world = await startWorld({ instances: { attachment: 2 }, failpoints: { attachment: 'amid-check' } });
    try {
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
      // The lease of 10 s that services have by themselves.
      for (const { id } of files) expect(await checked(client, id, patience)).toMatchObject({ status: 'clean' });
    } finally {
      await world.stop();
    }
  });

  it('by a file, time and again, ends with the file refused, and takes no other along', async () => {
    const world = await startWorld({ env, failpoints: { attachment: 'amid-check' } });
    try {
      const { client } = await workspaceWithBoard(world);
      const poison = await create(client, 'poison');
      expect((await send(poison, 'poison')).status).toBe(200);
      for (let time = 0; time < 5; time += 1) {
        await world.exited('attachment');
        // It may die again before it is ready.
        await world.restart('attachment', { failpoint: 'amid-check' }).catch(() => {});
      }
      expect(await checked(client, poison.id, patience)).toMatchObject({ status: 'rejected', rejection: 'unchecked' });
      await world.restart('attachment');
      expect(await uploaded(client, 'fine.png', image)).toMatchObject({ status: 'clean' });
      await eventually(() => expect(storedIn(world).kept(client, poison)).toEqual([]));
    } finally {
      await world.stop();
    }
  });
});
