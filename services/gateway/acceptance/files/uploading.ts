import { eventually } from '@cardinal/testkit';
import { expect } from 'vitest';
import type { Body, Client } from '../workspace.ts';

/** A file whose bytes are still to come. */
export const create = (client: Client, name: string, more: Body = {}): Promise<Body> =>
  client.data(client.post('/files', { body: { name, ...more } }));

/** Sends a file's bytes to its upload URL. */
export const send = async (file: Body, bytes: Uint8Array | string) => {
  const { url, method, headers } = file.upload;
  const answer = await fetch(url, { method, headers, body: bytes });
  return { status: answer.status, body: (await answer.json()) as Body };
};

/** A file once its checks are over. */
export const checked = (client: Client, id: string): Promise<Body> =>
  eventually(async () => {
    const file = await client.data(client.get(`/files/${id}`));
    expect(['clean', 'infected', 'rejected']).toContain(file.status);
    return file;
  });

/** A file that was uploaded and checked. */
export const uploaded = async (client: Client, name: string, bytes: Uint8Array | string, more: Body = {}) => {
  const file = await create(client, name, more);
  expect((await send(file, bytes)).status).toBe(200);
  return checked(client, file.id);
};
