import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, deleteFile, getFile, getFileContent } from '@cardinal/contracts';
import { aCaller, aCommand, eventually, scratchFolder } from '@cardinal/testkit';
import S3rver from 's3rver';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { s3 } from '../src/storage/s3.ts';
import { startFlakyProxy } from './support/flaky-proxy.ts';
import { aFile, checked, startHarness } from './support/harness.ts';

const bucket = 'files';
vi.stubEnv('AWS_REGION', 'us-east-1');
vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');

const directory = scratchFolder('s3');
const server = new S3rver({
  ...{ port: 0, address: '127.0.0.1', silent: true, directory },
  configureBuckets: [{ name: bucket, configs: [] }],
});
const proxy = await startFlakyProxy((await server.run()).port);
afterAll(async () => {
  await proxy.stop();
  await server.close();
});
afterEach(() => proxy.becomes('passes'));

const harness = await startHarness({
  storage: async () =>
    s3(bucket, { S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`, SCRATCH_FOLDER: scratchFolder('scratch') }),
});
const { bus } = harness;
const by = aCaller();

const put = ({ url, headers }: { url: string; headers: Record<string, string> }, body: string) =>
  fetch(url, { method: 'PUT', headers, body });
/** A clean file of the bucket. */
const stored = async (text: string) => {
  const file = await aFile(harness, by);
  expect((await put(file.upload, text)).status).toBe(200);
  return checked(harness, by, file.id);
};
const objects = async () =>
  (await readdir(join(directory, bucket), { recursive: true })).filter((name) => name.endsWith('_object'));

it.each(['refuses', 'hangs', 'stalls'] as const)(
  'a bucket that %s makes a download 503 in time, and everything goes on when it is back',
  async (conduct) => {
    const [kept, doomed] = [await stored('kept'), await stored('doomed')];
    const arrived = await aFile(harness, by);
    const waiting = await aFile(harness, by);
    const { url } = await bus.call(getFileContent, { ...by, file_id: kept.id });
    expect((await put(arrived.upload, 'arrived')).status).toBe(200);
    await proxy.becomes(conduct);

    const began = performance.now();
    const refused = await fetch(url, { signal: AbortSignal.timeout(15_000) });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({
      error: { code: 'unavailable', message: 'The service is not available' },
    });
    // These need no bucket: the bytes of a deleted file go when it is back.
    const made = await bus.call(createFile, { ...by, command: aCommand(), body: { name: 'later', board_id: null } });
    await bus.call(deleteFile, { ...by, command: aCommand(), file_id: doomed.id });

    await proxy.becomes('passes');
    expect(await (await fetch(url)).text()).toBe('kept');
    expect(await checked(harness, by, arrived.id)).toMatchObject({ status: 'clean', size: 7 });
    expect((await bus.call(getFile, { ...by, file_id: waiting.id })).status).toBe('pending');
    for (const file of [waiting, made.resource]) {
      expect((await put(file.upload, 'again')).status).toBe(200);
      expect(await checked(harness, by, file.id)).toMatchObject({ status: 'clean', size: 5 });
    }
    await eventually(async () => expect((await objects()).join()).not.toContain(doomed.id));
  },
);
