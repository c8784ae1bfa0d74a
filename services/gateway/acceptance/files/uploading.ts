import { crc32, deflateSync } from 'node:zlib';
import { eventually } from '@cardinal/testkit';
import { expect } from 'vitest';
import type { Body, Client } from '../workspace.ts';

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
};

/** A white PNG of one bit a pixel: whatever its size, it deflates to nearly nothing. */
export const png = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height), { level: 1 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
};

/** A file whose bytes are still to come. */
export const create = (client: Client, name: string, more: Body = {}): Promise<Body> =>
  client.data(client.post('/files', { body: { name, ...more } }));

/** Sends a file's bytes to where the API said. */
export const send = async (file: Body, bytes: Uint8Array | string) => {
  const { url, method, headers } = file.upload;
  const answer = await fetch(url, { method, headers, body: bytes });
  return { status: answer.status, body: (await answer.json()) as Body };
};

/** A file once its checks are over. */
export const checked = (client: Client, id: string): Promise<Body> =>
  eventually(
    async () => {
      const file = await client.data(client.get(`/files/${id}`));
      expect(['clean', 'infected', 'rejected']).toContain(file.status);
      return file;
    },
    { everyMs: 100 },
  );

/** A file that was uploaded and checked. */
export const uploaded = async (client: Client, name: string, bytes: Uint8Array | string, more: Body = {}) => {
  const file = await create(client, name, more);
  expect((await send(file, bytes)).status).toBe(200);
  return checked(client, file.id);
};
