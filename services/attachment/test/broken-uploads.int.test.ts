import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval as every } from 'node:timers/promises';
import { type Caller, deleteFile, getFile } from '@cardinal/contracts';
import { aCaller, aCommand, eventually } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { aFile, checked, type Harness, send, sendAgain, startHarness } from './support/harness.ts';
import { head, rawClient } from './support/raw-client.ts';

const mebibyte = 1024 * 1024;
// Longest time that clients wait to be disconnected.
const lingerMs = 500;
const harness = await startHarness({ lingerMs });
const { bus } = harness;
const small = await startHarness({ MAX_FILE_BYTES: mebibyte, lingerMs });
const portOf = ({ listener }: Harness) => listener.port;

const arriving = ({ folder }: Harness) => readdir(join(folder, 'arriving'));
const stateOf = async (by: Caller, { id }: { id: string }) => (await bus.call(getFile, { ...by, file_id: id })).status;

describe('an upload', () => {
  it('with `Expect: 100-continue` gets a 100 only where it will be accepted', async () => {
    const by = aCaller();
    const file = await aFile(harness, by);
    const announce = (url: string, length: number) => {
      const client = rawClient(portOf(harness));
      client.socket.write(head('PUT', url, `Content-Length: ${length}`, 'Expect: 100-continue'));
      return client;
    };
    const wrong = announce(file.upload.url.replace('signature=', 'signature=x'), 5);
    await wrong.closed;
    expect(wrong.heard()).toMatch(/^HTTP\/1.1 403 /);
    const right = announce(file.upload.url, 5);
    await eventually(() => expect(right.heard()).toBe('HTTP/1.1 100 Continue\r\n\r\n'));
    right.socket.write('hello');
    await eventually(() => expect(right.heard()).toMatch(/HTTP\/1.1 200 /));
    right.socket.destroy();
    const late = announce(file.upload.url, 5);
    await late.closed;
    expect(late.heard()).toMatch(/^HTTP\/1.1 409 /);
    const large = await aFile(harness, by);
    const tooLarge = announce(large.upload.url, 25 * mebibyte + 1);
    await tooLarge.closed;
    expect(tooLarge.heard()).toMatch(/^HTTP\/1.1 413 [\s\S]*payload_too_large/);
    expect(await stateOf(by, large)).toBe('rejected');
  });

  it('with fewer bytes than announced leaves nothing and may be repeated', async () => {
    const by = aCaller();
    const file = await aFile(harness, by);
    const { socket, closed } = rawClient(portOf(harness));
    socket.write(head('PUT', file.upload.url, 'Content-Length: 100'));
    socket.end('less');
    await closed;
    await eventually(async () => expect(await arriving(harness)).toEqual([]));
    expect(await stateOf(by, file)).toBe('pending');
    await sendAgain(file.upload.url, 'all');
  });

  it('with more bytes than announced is refused, and may be repeated', async () => {
    const by = aCaller();
    const file = await aFile(harness, by);
    const { socket, closed, heard } = rawClient(portOf(harness));
    socket.write(`${head('PUT', file.upload.url, 'Content-Length: 5')}hello, and more of it\r\n\r\n`);
    await closed;
    expect(heard()).toMatch(/^HTTP\/1.1 400 /);
    await eventually(async () => expect(await arriving(harness)).toEqual([]));
    await sendAgain(file.upload.url, 'hello');
    expect(await checked(harness, by, file.id)).toMatchObject({ status: 'clean', size: 5 });
  });

  it.each(['announced', 'chunked'])('of exactly the limit is accepted, of one byte more refused: %s', async (how) => {
    const by = aCaller();
    const bodyOf = (bytes: Uint8Array) => (how === 'chunked' ? new Blob([bytes]).stream() : bytes);
    for (const [more, status, state] of [
      [0, 200, 'clean'],
      [1, 413, 'rejected'],
    ] as const) {
      const { upload, id } = await aFile(small, by);
      expect((await send(upload.url, bodyOf(new Uint8Array(mebibyte + more)))).status).toBe(status);
      expect((await checked(small, by, id)).status).toBe(state);
    }
  });

  it('without end is refused and cut off', async () => {
    const by = aCaller();
    const { upload, id } = await aFile(small, by);
    const { socket, closed, heard } = rawClient(portOf(small));
    socket.write(head('PUT', upload.url, 'Transfer-Encoding: chunked'));
    const piece = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000), Buffer.from('\r\n')]);
    const over = new AbortController();
    void closed.then(() => over.abort());
    while (!over.signal.aborted) {
      if (!socket.write(piece)) await once(socket, 'drain', { signal: over.signal }).catch(() => {});
    }
    expect(heard()).toMatch(/^HTTP\/1.1 413 /);
    expect(await checked(small, by, id)).toMatchObject({ status: 'rejected', rejection: 'too_large' });
    expect(await arriving(small)).toEqual([]);
  });

  it('for a file that is deleted meanwhile, or before, is refused and leaves nothing', async () => {
    const by = aCaller();
    const file = await aFile(harness, by);
    const { socket, heard } = rawClient(portOf(harness));
    socket.write(`${head('PUT', file.upload.url, 'Content-Length: 10')}first`);
    await eventually(async () => expect(await arriving(harness)).toHaveLength(1));
    await bus.call(deleteFile, { ...by, command: aCommand(), file_id: file.id });
    expect((await send(file.upload.url, 'late')).status).toBe(404);
    socket.write('first');
    await eventually(() => expect(heard()).toMatch(/^HTTP\/1.1 409 /));
    socket.destroy();
    const kept = await readdir(join(harness.folder, 'kept', by.workspace_id, file.id)).catch(() => []);
    expect([kept, await arriving(harness)]).toEqual([[], []]);
  });

  it.each([
    ['stalls', { TRANSFER_IDLE_MS: 1_000 }, /^$/],
    ['trickles', { TRANSFER_TIMEOUT_MS: 2_000 }, /^HTTP\/1.1 408 /],
  ])('that %s does not hold its connection for ever, and may be sent again', async (_, limits, answer) => {
    const by = aCaller();
    const { upload, id } = await aFile(harness, by);
    const strict = await startHarness({ ...limits, beside: harness });
    const { socket, heard, closed } = rawClient(portOf(strict));
    socket.write(`${head('PUT', upload.url, 'Content-Length: 100000')}first`);
    const over = new AbortController();
    void closed.then(() => over.abort());
    if ('TRANSFER_TIMEOUT_MS' in limits) {
      for await (const _tick of every(20)) if (over.signal.aborted || !socket.write('x')) break;
    }
    await closed;
    expect(heard()).toMatch(answer);
    await eventually(async () => expect(await arriving(harness)).toEqual([]));
    await sendAgain(upload.url, 'whole');
    expect(await checked(harness, by, id)).toMatchObject({ status: 'clean', size: 5 });
  });
});
