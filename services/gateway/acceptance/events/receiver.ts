import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEndOfFile } from '@cardinal/testkit';
import { expect } from 'vitest';
import type { Body } from '../workspace.ts';

/** How a receiver behaves: it takes deliveries, answers 500, or never answers. */
type Mood = 'takes' | 'fails' | 'hangs';

/** What was sent once. */
export interface Sent {
  headers: IncomingMessage['headers'];
  text: string;
  event: Body;
  /** What it was answered; undefined where it was not. */
  status: number | undefined;
}

/** A receiver of webhooks, on a port of this machine that it keeps while it is away. */
export const startReceiver = async () => {
  const sent: Sent[] = [];
  let mood: Mood = 'takes';
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const status = { takes: 204, fails: 500, hangs: undefined }[mood];
    sent.push({ headers: request.headers, text, event: JSON.parse(text), status });
    if (status !== undefined) response.writeHead(status).end();
  };
  const server = createServer((request, response) => {
    // A sender that is killed breaks off amid its request.
    receive(request, response).catch(() => response.destroy());
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const leave = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  atEndOfFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Everything that was sent, in the order in which it came. */
    sent,
    /** Those that were taken. */
    taken: () => sent.filter(({ status }) => status === 204),
    be: (now: Mood) => {
      mood = now;
    },
    /** Does not listen while `meanwhile` runs. */
    away: async (meanwhile: () => Promise<void>) => {
      await leave();
      await meanwhile();
      await listen(port);
    },
  };
};

/** Checks the signature of a delivery (Standard Webhooks) with any of the secrets. */
export const expectSigned = ({ headers, text, event }: Sent, ...secrets: string[]): void => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  expect(id).toBe(event.id);
  expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(3_600);
  const signed = secrets.map((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')}`;
  });
  expect(String(signatures).split(' ').sort()).toEqual(signed.sort());
};
