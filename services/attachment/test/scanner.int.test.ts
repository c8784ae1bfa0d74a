import { createServer, type Server } from 'node:net';
import { crc32 } from 'node:zlib';
import { eventually } from '@cardinal/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { clamd } from '../src/checks/scanner.ts';
import { eicar, isClamdInstalled, prepareClamd } from './support/clamd.ts';
import { picture } from './support/images.ts';
import { aCaller, aFile, checked, send, startWorld, uploaded } from './support/world.ts';

/** A zip of one stored file. */
const zipOf = (name: string, content: string): Buffer => {
  const data = Buffer.from(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(10, 0);
  common.writeUInt32LE(crc32(data), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(data.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
  const rest = Buffer.alloc(14);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x0a\x00'), common, rest, Buffer.from(name)]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end]);
};

/** A scanner's port on which somebody gives these answers. */
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

describe.skipIf(!isClamdInstalled)('a real clamd (skipped where Debian’s clamav-daemon is not installed)', () => {
  it('finds what it knows, in archives too; while it is away files wait, and none is served', async () => {
    const server = await prepareClamd();
    let running = await server.start();
    afterAll(() => running.stop());
    const world = await startWorld({ scanner: await clamd({ url: server.url, timeoutMs: 20_000 }) });
    const by = aCaller();
    expect(await uploaded(world, by, 'harmless')).toMatchObject({ status: 'clean' });
    expect(await uploaded(world, by, await picture('png'))).toMatchObject({ status: 'clean' });
    expect(await uploaded(world, by, new Uint8Array(25 * 1024 * 1024))).toMatchObject({ status: 'clean' });
    expect(await uploaded(world, by, eicar)).toMatchObject({ status: 'infected' });
    expect(await uploaded(world, by, zipOf('eicar.com', eicar), 'holiday.png')).toMatchObject({
      status: 'infected',
      content_type: 'application/zip',
    });

    await running.stop();
    const file = await aFile(world, by);
    expect((await send(file.upload.url, eicar)).status).toBe(200);
    const harmless = await aFile(world, by);
    expect((await send(harmless.upload.url, 'harmless')).status).toBe(200);
    await eventually(async () => {
      const rows = await world.db.read((tx) =>
        tx.selectFrom('files').select(['status', 'attempts']).where('id', 'in', [file.id, harmless.id]).execute(),
      );
      for (const row of rows) {
        expect(row.status).toBe('scanning');
        expect(row.attempts).toBeGreaterThan(1);
      }
    });
    running = await server.start();
    expect(await checked(world, by, harmless.id)).toMatchObject({ status: 'clean' });
    expect(await checked(world, by, file.id)).toMatchObject({ status: 'infected' });
  }, 90_000);
});

describe('an answer that is no clear yes or no', () => {
  it.each([
    ['an error', 'stream: Some thing broke. ERROR\0'],
    ['nonsense', 'hello\0'],
    ['nothing', ''],
    ['silence', undefined],
    ['a size limit', 'INSTREAM size limit exceeded. ERROR\0'],
    ['a name that says OK', 'stream: OK not\0'],
  ])('leaves a file on the way, and rejects it in the end: %s', async (_, answer) => {
    const scanner = await clamd({ url: await answering(answer), timeoutMs: 300 });
    const world = await startWorld({ scanner, giveUpMs: 1_000 });
    const by = aCaller();
    const file = await aFile(world, by);
    expect((await send(file.upload.url, 'harmless')).status).toBe(200);
    const seen = new Set<string>();
    await eventually(async () => {
      const { status } = await world.db.read((tx) =>
        tx.selectFrom('files').select('status').where('id', '=', file.id).executeTakeFirstOrThrow(),
      );
      seen.add(status);
      expect(status).toBe('rejected');
    });
    expect([...seen].filter((status) => status !== 'scanning')).toEqual(['rejected']);
    expect(await checked(world, by, file.id)).toMatchObject({ status: 'rejected', rejection: 'unchecked' });
  });

  it('does not come from a scanner that says OK', async () => {
    const world = await startWorld({
      scanner: await clamd({ url: await answering('stream: OK\0'), timeoutMs: 5_000 }),
    });
    expect(await uploaded(world, aCaller(), 'harmless')).toMatchObject({ status: 'clean' });
  });
});
