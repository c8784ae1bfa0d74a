import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CardinalError, notFound } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { Parts } from '../parts.ts';
import { type Address, addressOf } from './address.ts';
import { guard, sendError } from './answer.ts';
import { download } from './download.ts';
import { allowOrigin, answerPreflight, type Origins } from './origins.ts';
import { type GoOn, upload } from './upload.ts';

/** How long transfers under way may last once the service stops, ms. */
const stopMs = 5_000;
/** Node looks for requests that take too long only so often, ms. */
const lookMs = 30_000;

interface Options {
  host: string;
  /** 0 takes any free one. */
  port: number;
  origins: Origins;
  /** A connection on which nothing moves for this long is closed, ms. */
  idleMs: number;
  /** A transfer that takes longer is broken off, ms. */
  timeoutMs: number;
}

/** The listener that clients upload to and download from. */
export interface Listener {
  port: number;
  /** From now on it serves. */
  serve(parts: Parts): void;
  /** Takes no further request and gives those under way a moment. */
  close(): Promise<void>;
}

/** Listens; answers 503 until it is told what to serve, because the URLs that the service makes name its port. */
export const openListener = async ({ host, port, origins, idleMs, timeoutMs }: Options): Promise<Listener> => {
  let parts: Parts | undefined;

  const answer = (request: IncomingMessage, response: ServerResponse, goOn: GoOn) => {
    const requestId = v7();
    guard(response, requestId);
    allowOrigin(request, response, origins);
    const serving = parts;
    if (!serving) {
      response.writeHead(503, { 'retry-after': '1' }).end();
      return;
    }
    const context = newContext({ requestId, timeoutMs });
    void runInContext(context, () =>
      transfer(serving, request, response, goOn).catch((error) => {
        // The client left: nobody to answer, and nothing wrong with us.
        if (request.destroyed && !request.complete) {
          response.destroy();
          return;
        }
        if (goOn.isAwaited()) response.setHeader('connection', 'close');
        else letPass(request, serving.limits.maxFileBytes);
        sendError(response, error, requestId, serving.logger);
      }),
    );
  };

  const server = createServer({ connectionsCheckingInterval: Math.min(lookMs, timeoutMs) });
  server.on('request', (request, response) => answer(request, response, { now: () => {}, isAwaited: () => false }));
  server.on('checkContinue', (request, response) => {
    let isAwaited = true;
    const now = () => {
      isAwaited = false;
      response.writeContinue();
    };
    answer(request, response, { now, isAwaited: () => isAwaited });
  });
  server.requestTimeout = timeoutMs;
  // Node takes the longer one of the two for the whole request.
  server.headersTimeout = Math.min(server.headersTimeout, timeoutMs);
  server.setTimeout(idleMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    serve(given) {
      parts = given;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), stopMs);
      await closed;
      clearTimeout(timer);
    },
  };
};

/** Drops the rest of what was refused, so that the client may read its answer and use the connection again; up to a point. */
const letPass = (request: IncomingMessage, most: number) => {
  let left = most;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
};

const methodsOf = ({ what }: Address) => (what === 'upload' ? ['PUT'] : ['GET', 'HEAD']);

const transfer = async (parts: Parts, request: IncomingMessage, response: ServerResponse, goOn: GoOn) => {
  const url = new URL(request.url ?? '/', 'http://files.invalid');
  const address = addressOf(url.pathname);
  if (!address) throw notFound('Path');
  const methods = methodsOf(address);
  if (request.method === 'OPTIONS') return answerPreflight(request, response, methods.join(', '));
  if (!methods.includes(request.method ?? '')) {
    response.setHeader('allow', methods.join(', '));
    throw new CardinalError('method_not_allowed', 'The path takes another method');
  }
  if (!parts.urls.isGood(address.what === 'upload' ? 'PUT' : 'GET', url, parts.now())) {
    throw new CardinalError('insufficient_scope', 'The URL was not signed by us, or has expired');
  }
  if (address.what === 'upload') return upload(parts, address, request, response, goOn);
  return download(parts, address, request, response);
};
