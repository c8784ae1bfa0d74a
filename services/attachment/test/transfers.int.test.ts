import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Caller, getFileContent, putCover } from '@cardinal/contracts';
import { aCaller, eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { localFolder } from '../src/storage/local-folder.ts';
import { aFile, checked, type Harness, startHarness, uploaded } from './support/harness.ts';
import { picture } from './support/images.ts';
import { head, rawClient } from './support/raw-client.ts';

const mebibyte = 1024 * 1024;
const harness = await startHarness();
const { bus } = harness;
const portOf = ({ listener }: Harness) => listener.port;

const contentUrl = async (by: Caller, file_id: string) => (await bus.call(getFileContent, { ...by, file_id })).url;

/** A clean file of 1000 bytes, each its own position, with its URL. */
const counted = async () => {
  const by = aCaller();
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256));
  const { id } = await uploaded(harness, by, bytes, 'counted.bin');
  return { by, id, bytes, url: await contentUrl(by, id) };
};

const bodyOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

describe('a page of another origin', () => {
  const origin = 'https://app.example';
  const asks = (url: string, method: string, at = origin) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: at,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,range',
      },
    });

  it('may upload and download, and reads refusals too', async () => {
    const by = aCaller();
    const file = await aFile(harness, by);
    const preflight = await asks(file.upload.url, 'PUT');
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'PUT',
      'access-control-allow-headers': 'content-type,range',
    });
    const put = (url: string) => fetch(url, { method: 'PUT', body: 'hello', headers: { origin } });
    const [wrong, right, again] = [
      await put(file.upload.url.replace('signature=', 'signature=x')),
      await put(file.upload.url),
      await put(file.upload.url),
    ];
    expect([wrong, right, again].map(({ status }) => status)).toEqual([403, 200, 409]);
    await checked(harness, by, file.id);
    const url = await contentUrl(by, file.id);
    expect((await asks(url, 'GET')).headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    const got = await fetch(url, { headers: { origin } });
    for (const { headers } of [wrong, right, again, got]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect(got.headers.get('access-control-expose-headers')).toContain('content-disposition');
    expect((await asks(`${new URL(url).origin}/elsewhere`, 'GET')).status).toBe(404);
  });

  it('is refused where only other origins are allowed', async () => {
    const choosy = await startHarness({ ALLOWED_ORIGINS: new Set([origin]) });
    const { upload } = await aFile(choosy, aCaller());
    const [ours, theirs] = [await asks(upload.url, 'PUT'), await asks(upload.url, 'PUT', 'https://evil.example')];
    expect(ours.headers.get('access-control-allow-origin')).toBe(origin);
    expect(theirs.headers.get('access-control-allow-origin')).toBeNull();
    for (const { headers } of [ours, theirs]) expect(headers.get('vary')).toMatch(/^Origin/);
  });
});

describe('a download', () => {
  it('continues where it broke off', async () => {
    const { url, bytes, id } = await counted();
    const part = (range: string, ifRange = `"${id}"`) => fetch(url, { headers: { range, 'if-range': ifRange } });
    const rest = await part('bytes=400-');
    expect(rest.status).toBe(206);
    expect(Object.fromEntries(rest.headers)).toMatchObject({
      'content-range': 'bytes 400-999/1000',
      'content-length': '600',
      'accept-ranges': 'bytes',
      etag: `"${id}"`,
      'x-content-type-options': 'nosniff',
    });
    expect(await bodyOf(rest)).toEqual(bytes.subarray(400));
    expect(await bodyOf(await part('bytes=0-0'))).toEqual(bytes.subarray(0, 1));
    expect(await bodyOf(await part('bytes=-10'))).toEqual(bytes.subarray(990));

    const beyond = await part('bytes=1000-');
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
    expect(await beyond.json()).toMatchObject({ error: { code: 'invalid_request' } });
    for (const whole of [await part('bytes=0-1,5-6'), await part('bytes=0-1', '"another"')]) {
      expect([whole.status, await bodyOf(whole)]).toEqual([200, bytes]);
    }
  });

  it('has no body for a client that has it already, and for a HEAD', async () => {
    const { url, id } = await counted();
    const known = await fetch(url, { headers: { 'if-none-match': `"${id}"` } });
    expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', `"${id}"`]);
    expect((await fetch(url, { headers: { 'if-none-match': '"another"' } })).status).toBe(200);
    const asked = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
    expect([asked.status, asked.headers.get('content-length'), await asked.text()]).toEqual([200, '1000', '']);
  });

  it('of a rendition has a length, parts and a tag as well', async () => {
    const by = aCaller();
    const card_id = v7();
    harness.card.cards.set(card_id, { boardDeleted: false });
    const { id } = await uploaded(harness, by, await picture('png', 400, 300));
    const [{ url = '' } = {}] = (await bus.call(putCover, { ...by, card_id, file_id: id })).renditions;
    const whole = await bodyOf(await fetch(url));
    const part = await fetch(url, { headers: { range: 'bytes=8-11' } });
    expect([part.status, part.headers.get('etag'), await part.text()]).toEqual([206, `"${id}-320"`, 'WEBP']);
    expect(part.headers.get('content-range')).toBe(`bytes 8-11/${whole.length}`);
  });

  it('leaves a connection that can be reused', async () => {
    const { url } = await counted();
    const answer = await fetch(url);
    await answer.arrayBuffer();
    expect(answer.headers.get('keep-alive')).toBe('timeout=72');
  });

  it('of removed bytes is not found', async () => {
    const { url, by, id } = await counted();
    await rm(join(harness.folder, 'kept', by.workspace_id, id), { recursive: true });
    expect((await fetch(url)).status).toBe(404);
  });

  /** A file larger than all buffers on its way. It is uploaded before the listener with strict limits starts. */
  const large = { by: aCaller(), id: '' };
  beforeAll(async () => {
    large.id = (await uploaded(harness, large.by, new Uint8Array(20 * mebibyte))).id;
  });

  it('that was aborted before its bytes were opened leaves none open', async () => {
    const opened: Readable[] = [];
    const { promise: givenUp, resolve } = Promise.withResolvers<void>();
    const storage = async (folder: string) => {
      const real = await localFolder(folder);
      const read: typeof real.read = async (key, range) => {
        await givenUp;
        const stream = await real.read(key, range);
        if (stream) opened.push(stream);
        return stream;
      };
      return { ...real, read };
    };
    const { url } = await counted();
    const slow = await startHarness({ storage, TRANSFER_IDLE_MS: 200, beside: harness });
    const { socket, closed } = rawClient(portOf(slow));
    socket.write(head('GET', url));
    await closed;
    resolve();
    await eventually(() => expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]));
  });

  it.each([
    ['nobody takes', { TRANSFER_IDLE_MS: 1_000 }],
    ['somebody takes drop by drop', { TRANSFER_TIMEOUT_MS: 2_000 }],
  ])('that %s holds neither connection nor file for ever', async (_, limits) => {
    const opened: Readable[] = [];
    const storage = async (folder: string) => {
      const real = await localFolder(folder);
      const read: typeof real.read = async (key, range) => {
        const stream = await real.read(key, range);
        if (stream) opened.push(stream);
        return stream;
      };
      return { ...real, read };
    };
    const url = await contentUrl(large.by, large.id);
    const strict = await startHarness({ storage, ...limits, beside: harness });
    const { socket } = rawClient(portOf(strict));
    socket.pause().write(head('GET', url));
    if ('TRANSFER_TIMEOUT_MS' in limits) socket.on('readable', () => setTimeout(() => socket.read(1), 20));
    await eventually(() => expect(opened).toHaveLength(1));
    await eventually(() => expect(opened.every(({ destroyed }) => destroyed)).toBe(true));
    socket.destroy();
  });
});
