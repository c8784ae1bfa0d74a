import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteFile, getCover, getFileContent, putCover } from '@cardinal/contracts';
import { aCaller, aCommand, eventually, scratchFolder, unsigned } from '@cardinal/testkit';
import S3rver from 's3rver';
import { v7 } from 'uuid';
import { afterAll, expect, it, vi } from 'vitest';
import { s3 } from '../src/storage/s3.ts';
import { aFile, checked, startHarness } from './support/harness.ts';
import { picture } from './support/images.ts';

const bucket = 'files';
vi.stubEnv('AWS_REGION', 'us-east-1');
vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');

const directory = scratchFolder('s3');
const server = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory,
  configureBuckets: [{ name: bucket, configs: [] }],
});
const { port } = await server.run();
afterAll(() => server.close());

const scratch = scratchFolder('scratch');
mkdirSync(scratch, { recursive: true });
const maxFileBytes = 1024 * 1024;
let beforeCopy = async () => {};
/** Running puts. This server shows their first bytes; a bucket shows an object whole or not at all. */
let underWay = 0;
const harness = await startHarness({
  MAX_FILE_BYTES: maxFileBytes,
  storage: async () => {
    const real = s3(bucket, { S3_ENDPOINT: `http://127.0.0.1:${port}`, SCRATCH_FOLDER: scratch });
    const copy = (from: string, to: string) => beforeCopy().then(() => real.direct?.copy(from, to));
    const sizeOf = async (key: string) => {
      const size = underWay > 0 ? undefined : await real.direct?.sizeOf(key);
      return underWay > 0 ? undefined : size;
    };
    return { ...real, direct: real.direct && { ...real.direct, copy, sizeOf } };
  },
});
const { bus } = harness;

const put = async ({ url, headers }: { url: string; headers: Record<string, string> }, body: Uint8Array) => {
  underWay += 1;
  try {
    return await fetch(url, { method: 'PUT', headers, body });
  } finally {
    underWay -= 1;
  }
};

it('takes uploads from the bucket and checks a copy that the upload URL does not reach', async () => {
  const by = aCaller();
  const file = await aFile(harness, by, 'x.png');
  expect(new URL(file.upload.url).port).toBe(String(port));
  const image = await picture('png', 400, 300);
  expect((await put(file.upload, image)).status).toBe(200);
  expect(await checked(harness, by, file.id)).toMatchObject({
    status: 'clean',
    size: image.length,
    content_type: 'image/png',
  });

  await put(file.upload, Buffer.from('something else'));
  const { url } = await bus.call(getFileContent, { ...by, file_id: file.id });
  const content = await fetch(url);
  expect(content.headers.get('x-content-type-options')).toBe('nosniff');
  expect(Buffer.from(await content.arrayBuffer()).equals(image)).toBe(true);

  const card_id = v7();
  harness.card.cards.set(card_id, { boardDeleted: false });
  const cover = await bus.call(putCover, { ...by, card_id, file_id: file.id });
  expect((await fetch(cover.renditions[0]?.url ?? '')).headers.get('content-type')).toBe('image/webp');
  expect(unsigned(await bus.call(getCover, { ...by, card_id }))).toEqual(unsigned({ cover }));

  const part = await fetch(url, { headers: { range: 'bytes=1-3' } });
  expect([part.status, await part.text()]).toEqual([206, 'PNG']);

  const kept = async () => {
    const names = await readdir(join(directory, bucket, by.workspace_id), { recursive: true }).catch(() => []);
    // This server may write a checksum beside an object that is deleted meanwhile; no client reaches it.
    return names.filter((name) => name.endsWith('_object'));
  };
  await bus.call(deleteFile, { ...by, command: aCommand(), file_id: file.id });
  await eventually(async () => expect(await kept()).toEqual([]));
  expect((await fetch(url)).status).toBe(404);
  expect(await readdir(scratch)).toEqual([]);

  // The URL is valid for a while after the file is deleted.
  await put(file.upload, Buffer.from('something else'));
  expect(await kept()).not.toEqual([]);
  harness.clock.ahead = 2 * 3_600_000;
  harness.context.removals.nudge();
  try {
    await eventually(async () => expect(await kept()).toEqual([]));
  } finally {
    harness.clock.ahead = 0;
  }
});

it('refuses an upload that is too large or empty once it arrived, and rejects one that does not arrive', async () => {
  const by = aCaller();
  const [large, empty, never] = [await aFile(harness, by), await aFile(harness, by), await aFile(harness, by)];
  expect((await put(large.upload, new Uint8Array(maxFileBytes + 1))).status).toBe(200);
  expect((await put(empty.upload, new Uint8Array(0))).status).toBe(200);
  expect(await checked(harness, by, large.id)).toMatchObject({ status: 'rejected', rejection: 'too_large' });
  expect(await checked(harness, by, empty.id)).toMatchObject({ status: 'rejected', rejection: 'empty' });
  harness.clock.ahead = 2 * 3_600_000;
  try {
    expect(await checked(harness, by, never.id)).toMatchObject({ status: 'rejected', rejection: 'expired' });
  } finally {
    harness.clock.ahead = 0;
  }
});

it('checks the copy, whatever the client sent meanwhile', async () => {
  const by = aCaller();
  const file = await aFile(harness, by);
  beforeCopy = async () => {
    await put(file.upload, new Uint8Array(maxFileBytes + 1));
  };
  try {
    expect((await put(file.upload, Buffer.from('small'))).status).toBe(200);
    expect(await checked(harness, by, file.id)).toMatchObject({ status: 'rejected', rejection: 'too_large' });
  } finally {
    beforeCopy = async () => {};
  }
});
