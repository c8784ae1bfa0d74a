import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type ClientOptions, createClient } from '../src/index.ts';

/** A request as it came over the wire. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** How a server answers: the status with a JSON body and headers, or `hang up`: it reads the request and closes. */
export type Script = (
  request: Seen,
  n: number,
) => { status: number; body?: unknown; headers?: Record<string, string> } | 'hang up';

/** Starts a server on a free port, until the test ends. */
export const listen = async (listener: RequestListener): Promise<{ url: string; close: () => Promise<void> }> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

/** The same, answering by a script; `seen` holds what came. */
export const serve = async (script: Script): Promise<{ url: string; seen: Seen[]; close: () => Promise<void> }> => {
  const seen: Seen[] = [];
  const answer = (response: ServerResponse, request: Seen) => {
    seen.push(request);
    const reply = script(request, seen.length);
    if (reply === 'hang up') return response.destroy();
    const isText = typeof reply.body === 'string';
    response.writeHead(reply.status, {
      'content-type': isText ? 'text/html' : 'application/json',
      'x-request-id': `request-${seen.length}`,
      ...reply.headers,
    });
    return response.end(isText ? reply.body : reply.body === undefined ? undefined : JSON.stringify(reply.body));
  };
  const server = await listen(async (request, response) => {
    const { method = '', url = '', headers } = request;
    answer(response, { method, url, headers, body: await text(request) });
  });
  return { ...server, seen };
};

/** A client of a server that answers by a script. */
export const talkTo = async (script: Script, options: Partial<ClientOptions> = {}) => {
  const { url, ...server } = await serve(script);
  const retry = { baseMs: 1, capMs: 2 };
  return { ...server, url, client: createClient({ baseUrl: url, token: 'secret', retry, ...options }) };
};

/** What a promise is rejected with; undefined where it is not. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => undefined).catch((reason: unknown) => reason);
