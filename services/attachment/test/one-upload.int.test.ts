import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteFile } from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import { aFile, checked, type Harness, send, startHarness } from './support/harness.ts';
import { head, rawClient } from './support/raw-client.ts';

/** Renewed every two seconds, which is often enough on a busy machine. */
const leaseMs = 6_000;
const harness = await startHarness({ CHECK_LEASE_MS: leaseMs, lingerMs: 500 });
const beside = await startHarness({ CHECK_LEASE_MS: leaseMs, beside: harness });

const arriving = () => readdir(join(harness.folder, 'arriving'));
const at = ({ listener }: Harness, url: string) => Object.assign(new URL(url), { port: listener.port }).href;
const rowOf = (id: string) =>
  harness.db.read((tx) => tx.selectFrom('files').selectAll().where('id', '=', id).executeTakeFirstOrThrow());

/** An upload of ten bytes, of which five have arrived. */
const halfAnUpload = async (url: string) => {
  const client = rawClient(harness.listener.port);
  client.socket.write(`${head('PUT', url, 'Content-Length: 10')}first`);
  await eventually(async () => expect(await arriving()).toHaveLength(1));
  return client;
};

it('a second upload is refused while one is running, before its bytes are read, by any instance', async () => {
  const by = aCaller();
  const { id, upload } = await aFile(harness, by);
  const { socket, heard } = await halfAnUpload(upload.url);
  for (const url of [upload.url, at(beside, upload.url)]) {
    const answer = await send(url, 'second');
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      error: { code: 'conflict', message: expect.stringMatching(/being uploaded just now/) },
    });
  }
  const asking = rawClient(harness.listener.port);
  asking.socket.write(head('PUT', upload.url, 'Content-Length: 26214401', 'Expect: 100-continue'));
  await asking.closed;
  expect(asking.heard()).toMatch(/^HTTP\/1.1 409 /);

  socket.write('first');
  await eventually(() => expect(heard()).toMatch(/^HTTP\/1.1 200 /));
  socket.destroy();
  expect(await checked(harness, by, id)).toMatchObject({ status: 'clean', size: 10 });
});

it('of fifteen concurrent uploads one is stored', async () => {
  const { upload } = await aFile(harness, aCaller());
  const clients = Array.from({ length: 15 }, () => rawClient(harness.listener.port));
  for (const { socket } of clients) socket.write(`${head('PUT', upload.url, 'Content-Length: 10')}first`);
  await eventually(() => expect(clients.filter(({ heard }) => / 409 /.test(heard()))).toHaveLength(14));
  expect(await arriving()).toHaveLength(1);
  for (const { socket } of clients) socket.destroy();
  await eventually(async () => expect(await arriving()).toEqual([]));
});

it('an upload keeps its lease as long as it runs', async () => {
  const { id, upload } = await aFile(harness, aCaller());
  const { socket, heard } = await halfAnUpload(upload.url);
  const seen = new Set<number | undefined>();
  await eventually(async () => {
    seen.add((await rowOf(id)).uploading_until?.getTime());
    expect(seen.size).toBeGreaterThan(2);
  });
  expect((await send(upload.url, 'second')).status).toBe(409);
  socket.write('first');
  await eventually(() => expect(heard()).toMatch(/^HTTP\/1.1 200 /));
  socket.destroy();
  expect(await rowOf(id)).toMatchObject({ upload_id: null, uploading_until: null });
});

it('an upload of a killed process keeps its lease for a while only', async () => {
  const { id, upload } = await aFile(harness, aCaller());
  const left = (ms: number) => ({ upload_id: v7(), uploading_until: new Date(Date.now() + ms) });
  const leave = (ms: number) =>
    harness.db.transaction((tx) => tx.updateTable('files').set(left(ms)).where('id', '=', id).execute());
  await leave(3_600_000);
  expect((await send(upload.url, 'x')).status).toBe(409);
  await leave(-1);
  expect((await send(upload.url, 'x')).status).toBe(200);
});

it('an upload that lost its lease or its file is aborted', async () => {
  const by = aCaller();
  for (const lose of [
    (id: string) =>
      harness.db.transaction((tx) => tx.updateTable('files').set({ upload_id: v7() }).where('id', '=', id).execute()),
    (id: string) => harness.bus.call(deleteFile, { ...by, command: aCommand(), file_id: id }),
  ]) {
    const { id, upload } = await aFile(harness, by);
    const { socket, heard } = rawClient(harness.listener.port);
    socket.write(`${head('PUT', upload.url, 'Content-Length: 1000000')}first`);
    await eventually(async () => expect(await arriving()).toHaveLength(1));
    await lose(id);
    await eventually(() => {
      socket.write('x');
      expect(heard()).toMatch(/^HTTP\/1.1 409 /);
    });
    socket.destroy();
    await eventually(async () => expect(await arriving()).toEqual([]));
  }
});
