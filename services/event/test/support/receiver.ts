import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEndOfFile } from '@cardinal/testkit';
import { v7 } from 'uuid';
import type { Message } from '../../src/webhooks/sender.ts';

/** A request that a receiver got. */
export interface Received {
  headers: Record<string, string>;
  body: string;
  event: { id: string; seq: number; type: string; card: { id: string } | null; data: { title?: string } | null };
}

type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown;

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/**
 * Starts a receiver at a port of 127.0.0.1.
 * @param answer how it answers; 200 by default. May be replaced later
 * @param port the port; a free one by default
 */
export const startReceiver = async (answer: Answer = (_, response) => response.end(), port = 0) => {
  const received: Received[] = [];
  const receiver = { received, answer, connections: 0 };
  const server = createServer(async (request, response) => {
    const body = await textOf(request).catch(() => undefined);
    if (body === undefined) return;
    const one = { headers: request.headers as Record<string, string>, body, event: JSON.parse(body) };
    received.push(one);
    receiver.answer(one, response, request);
  });
  server.on('connection', () => {
    receiver.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const at = (server.address() as AddressInfo).port;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  atEndOfFile(stop);
  return Object.assign(receiver, { url: `http://127.0.0.1:${at}/hook`, port: at, stop });
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Returns an answer with this status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(code, headers).end();

/** Returns a message of no particular content. */
export const messageTo = (url: string): Message => ({ url, headers: {}, body: '{}', webhookId: v7() });
