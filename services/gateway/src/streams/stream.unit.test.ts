import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Ending, openStream, type Stream } from './stream.ts';

let stream: Stream;
let text: string;
let ending: Ending | undefined;
const stops: (() => void)[] = [];
const begunAt = Date.now();

beforeEach(async () => {
  [text, ending] = ['', undefined];
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = request({ port: (server.address() as AddressInfo).port }).end();
  const [, response]: [unknown, ServerResponse] = (await once(server, 'request')) as [unknown, ServerResponse];
  stream = openStream(response, {
    userId: 'somebody',
    wanted: {},
    position: 7,
    requestId: 'r',
    maxWaiting: 1_000_000,
    expiresAt: begunAt + 3_600_000,
    onEnd: (why) => {
      ending = why;
    },
  });
  const [received] = await once(asked, 'response');
  received.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  stops.push(() => {
    asked.destroy();
    server.closeAllConnections();
    server.close();
  });
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

it('sends its position every 15 seconds, as a comment and as an id', async () => {
  await vi.waitFor(() => expect(text).toBe('retry: 1000\n: 7\nid: 7\n\n'));
  expect(stream.tend(begunAt + 14_000)).toBe(false);
  expect(stream.tend(begunAt + 15_500)).toBe(true);
  stream.send(undefined, 9);
  expect(stream.tend(begunAt + 30_000)).toBe(false);
  expect(stream.tend(begunAt + 30_500)).toBe(true);
  await vi.waitFor(() => expect(text).toBe('retry: 1000\n: 7\nid: 7\n\n: 7\nid: 7\n\n: 9\nid: 9\n\n'));
});

it('ends with its token', async () => {
  stream.tend(begunAt + 3_600_000);
  await vi.waitFor(() => expect(ending).toBe('token'));
});
