import { readdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { checked, create, png, send, uploaded } from './files/uploading.ts';
import { expectEach, refused, unusable, uses } from './files/uses.ts';
import { type Body, type Client, untilAnswered, workspaceWithBoard } from './workspace.ts';

const virus = 'a virus';
const scanner = {
  isAway: false,
  server: createServer((socket) => {
    if (scanner.isAway) socket.destroy();
    let seen = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      seen += bytes.toString('latin1');
      if (seen.endsWith('\0\0\0\0')) socket.end(seen.includes(virus) ? 'stream: Test FOUND\0' : 'stream: OK\0');
    });
  }),
};

let world: World;
beforeAll(async () => {
  await new Promise<void>((resolve) => scanner.server.listen(0, '127.0.0.1', resolve));
  const CLAMD_URL = `tcp://127.0.0.1:${(scanner.server.address() as AddressInfo).port}`;
  // A process killed during a check is missed after a second.
  const env = { attachment: { CLAMD_URL, CHECK_LEASE_MS: '1000' } };
  world = await startWorld({ instances: { attachment: 2 }, env });
  // Until a test wants a second one.
  await world.kill('attachment-2');
  return async () => {
    await world.stop();
    scanner.server.close();
  };
});

/** Everything that the attachment service has stored. */
const folder = () => join(dirname(world.logOf('attachment')), 'files');
const stored = {
  arriving: () => readdirSync(join(folder(), 'arriving')).map((name) => join(folder(), 'arriving', name)),
  kept: (client: Client, { id }: Body) => {
    try {
      return readdirSync(join(folder(), 'kept', client.workspaceId, id)).sort();
    } catch {
      return [];
    }
  },
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
const expectWhole = async (client: Client, column: Body, file: Body) => {
  expect(await checked(client, file.id)).toMatchObject({ status: 'clean', size: image.length });
  const card = await client.createCard(column.id, 'with a cover');
  const cover = await client.data(client.put(`/cards/${card.id}/cover/${file.id}`));
  for (const { url } of cover.renditions) expect((await fetch(url)).status).toBe(200);
  const content = await client.get(`/files/${file.id}/content`);
  const bytes = await fetch(content.headers.get('location') ?? '').then((answer) => answer.arrayBuffer());
  expect(image.equals(Buffer.from(bytes))).toBe(true);
  await eventually(() => expect(stored.kept(client, file)).toEqual(whatAnImageNeeds));
};

describe('with a scanner', () => {
  it('a file that it finds something in is never served, and none before it was judged', async () => {
    const { client, column } = await workspaceWithBoard(world);
    const { content, cover, link } = await uses(client, column);
    const infected = await uploaded(client, 'holiday.png', virus);
    expect(infected).toMatchObject({ status: 'infected', rejection: null });
    await expectEach(infected.id, [content, cover, link], unusable('The file is infected'));

    scanner.isAway = true;
    const file = await create(client, 'waits.png');
    expect((await send(file, png(9, 9))).status).toBe(200);
    await expectEach(file.id, [content, cover, link], refused(409, 'conflict', 'The file is still being checked'));
    scanner.isAway = false;
    expect(await checked(client, file.id)).toMatchObject({ status: 'clean' });
    expect((await link(file.id)).status).toBe(200);
  });
});

// The service's own tests cover bytes that are left over, and a file that kills the process that checks it.
describe('kill -9 of the attachment service', () => {
  it('amid an upload leaves a file that can be uploaded again', async () => {
    const { client, column } = await workspaceWithBoard(world);
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
    await eventually(async () => expect((await send(again, image)).status).toBe(200));
    await expectWhole(client, column, file);
  });

  it('between the bytes and their row leaves a file that can be uploaded again, and nothing of the first bytes', async () => {
    await world.restart('attachment', { failpoint: 'after-upload-stored' });
    const { client, column } = await workspaceWithBoard(world);
    const file = await create(client, 'x.png');
    const sent = send(file, 'other bytes').catch(() => undefined);
    await world.exited('attachment');
    expect(await sent).toBeUndefined();
    expect(stored.kept(client, file)).toHaveLength(1);
    await world.restart('attachment');
    const again = await moved(client, file);
    // The upload that was killed counts as under way until its lease is over.
    await eventually(async () => expect((await send(again, image)).status).toBe(200));
    await expectWhole(client, column, file);
  });

  it('amid renditions leaves a file that is checked by whoever comes next', async () => {
    await world.restart('attachment', { failpoint: 'amid-renditions' });
    const { client, column } = await workspaceWithBoard(world);
    const file = await create(client, 'x.png');
    expect((await send(file, image)).status).toBe(200);
    await world.exited('attachment');
    await world.restart('attachment');
    await expectWhole(client, column, file);
  });

  it('amid a check does not hold the file up for long: another instance takes over', async () => {
    await Promise.all([world.restart('attachment-2'), world.restart('attachment', { failpoint: 'amid-check' })]);
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
