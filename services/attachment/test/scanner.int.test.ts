import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { aCaller, eventually, scratchFolder } from '@cardinal/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { clamd, type Scanner } from '../src/checks/scanner.ts';
import { eicar, prepareClamd } from './support/clamd.ts';
import { clamdProgram, type Program } from './support/clamd-program.ts';
import { aFile, checked, checkOf, send, startHarness, uploaded } from './support/harness.ts';
import { picture } from './support/images.ts';
import { zipOf } from './support/zip.ts';

/** A scanner's port with these answers. */
const answering = async (answer: string | undefined) => {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (answer !== undefined && bytes.subarray(-4).equals(Buffer.alloc(4))) socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  const address = server.address();
  return `tcp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
};

const program = await clamdProgram();

describe.skipIf(!program)(
  'a real clamd (skipped where Debian’s clamav-daemon can be had neither here nor from a mirror)',
  () => {
    it('finds a known virus, in archives too; while it is away files wait, and none is served', async () => {
      const server = await prepareClamd(program as Program);
      let running = await server.start();
      afterAll(() => running.stop());
      const harness = await startHarness({ scanner: clamd(server.url, 60_000) });
      const by = aCaller();
      expect(await uploaded(harness, by, 'harmless')).toMatchObject({ status: 'clean' });
      expect(await uploaded(harness, by, await picture('png'))).toMatchObject({ status: 'clean' });
      expect(await uploaded(harness, by, new Uint8Array(25 * 1024 * 1024))).toMatchObject({ status: 'clean' });
      expect(await uploaded(harness, by, eicar)).toMatchObject({ status: 'infected' });
      expect(await uploaded(harness, by, zipOf('eicar.com', eicar), 'holiday.png')).toMatchObject({
        status: 'infected',
        content_type: 'application/zip',
      });

      await running.stop();
      const file = await aFile(harness, by);
      expect((await send(file.upload.url, eicar)).status).toBe(200);
      const harmless = await aFile(harness, by);
      expect((await send(harmless.upload.url, 'harmless')).status).toBe(200);
      await eventually(async () => {
        for (const { id } of [file, harmless]) expect((await checkOf(harness, id))?.attempts).toBeGreaterThan(1);
      });
      running = await server.start();
      expect(await checked(harness, by, harmless.id)).toMatchObject({ status: 'clean' });
      expect(await checked(harness, by, file.id)).toMatchObject({ status: 'infected' });
    });
  },
);

describe('an unclear answer', async () => {
  const scanners = new Map<string, Scanner>();
  const scannerOf = (path: string) => scanners.get(path.split('/').at(-3) ?? '') as Scanner;
  const harness = await startHarness({
    scanner: (path, signal) => scannerOf(path)(path, signal),
    CHECKS_AT_ONCE: 7,
  });

  it.concurrent.each([
    ['an error', 'stream: Some thing broke. ERROR\0'],
    ['nonsense', 'hello\0'],
    ['nothing', ''],
    ['silence', undefined],
    ['a size limit', 'INSTREAM size limit exceeded. ERROR\0'],
    ['a name that says OK', 'stream: OK not\0'],
  ])('leaves a file on the way, and rejects it in the end: %s', async (_, answer) => {
    const by = aCaller();
    scanners.set(by.workspace_id, clamd(await answering(answer), 300));
    const file = await aFile(harness, by);
    expect((await send(file.upload.url, 'harmless')).status).toBe(200);
    await eventually(async () => {
      expect(await checkOf(harness, file.id)).toMatchObject({ error: expect.any(String) });
    });
    // As if it had waited for the longest time of a file.
    await harness.db.transaction((tx) =>
      tx
        .updateTable('files')
        .set({ uploaded_at: new Date(0) })
        .where('id', '=', file.id)
        .execute(),
    );
    expect(await checked(harness, by, file.id)).toMatchObject({ status: 'rejected', rejection: 'unchecked' });
  });

  it('does not come from a scanner that says OK', async () => {
    const by = aCaller();
    scanners.set(by.workspace_id, clamd(await answering('stream: OK\0'), 60_000));
    expect(await uploaded(harness, by, 'harmless')).toMatchObject({ status: 'clean' });
  });
});

describe('a clamd that hangs up', () => {
  it.each([
    ['at once', (socket: Socket) => void socket.end()],
    ['roughly', (socket: Socket) => void socket.resetAndDestroy()],
    ['amid the file', (socket: Socket) => void socket.once('data', () => socket.destroy())],
  ])('%s has given no answer', async (_, hangUp) => {
    const server = createServer((socket) => hangUp(socket.on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterAll(() => server.close());
    const scanner = clamd(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`, 3_600_000);
    const folder = scratchFolder('scanned');
    for (const size of [5, 1024 * 1024]) {
      const path = join(folder, String(size));
      await writeFile(path, new Uint8Array(size));
      for (let time = 0; time < 30; time += 1) {
        await expect(scanner(path, new AbortController().signal)).rejects.toThrow();
      }
    }
  });
});

describe('a clamd that reads nothing', () => {
  it('is sent no more than it reads, and abandoned in time', async () => {
    const sockets: Socket[] = [];
    const closed: Promise<unknown>[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.pause().on('error', () => {}));
      // A connection that was left before much was sent is closed by now.
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    afterAll(() => server.close());
    const { port } = server.address() as AddressInfo;
    const path = join(scratchFolder('large'), 'file');
    await writeFile(path, new Uint8Array(25 * 1024 * 1024));
    const scanner = clamd(`tcp://127.0.0.1:${port}`, 200);
    const nobody = new AbortController().signal;
    const before = process.memoryUsage().external;
    for (let time = 0; time < 6; time += 1) await expect(scanner(path, nobody)).rejects.toThrow('aborted');
    expect(process.memoryUsage().external - before).toBeLessThan(50 * 1024 * 1024);
    await eventually(() => expect(sockets).toHaveLength(6));
    for (const socket of sockets) socket.resume();
    await Promise.all(closed);
  });

  it('is abandoned at once where nobody waits for its answer any more', async () => {
    const stopping = new AbortController();
    const path = join(scratchFolder('small'), 'file');
    await writeFile(path, 'hello');
    const scanner = clamd(await answering(undefined), 3_600_000);
    const scan = scanner(path, stopping.signal);
    stopping.abort();
    await expect(scan).rejects.toThrow('aborted');
  });
});
