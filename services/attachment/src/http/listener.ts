import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CardinalError, notFound } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { Parts } from '../parts.ts';
import { uploadGraceMs } from '../uploads/targets.ts';
import { addressOf } from './address.ts';
import { guard, sendError } from './answer.ts';
import { download } from './download.ts';
import { upload } from './upload.ts';

/** A connection on which nothing moves for this long is closed, ms. */
const idleMs = 60_000;
/** How long transfers under way may last once the service stops, ms. */
const stopMs = 5_000;

/** The listener that clients upload to and download from. */
export interface Listener {
  port: number;
  /** From now on it serves. */
  serve(parts: Parts): void;
  /** Takes no further request and gives those under way a moment. */
  close(): Promise<void>;
}

/** Listens; answers 503 until it is told what to serve, because the URLs that the service makes name its port. */
export const openListener = async ({ host, port }: { host: string; port: number }): Promise<Listener> => {
  let parts: Parts | undefined;
  const server = createServer((request, response) => {
    const requestId = v7();
    guard(response, requestId);
    const serving = parts;
    if (!serving) {
      response.writeHead(503, { 'retry-after': '1' }).end();
      return;
    }
    const context = newContext({ requestId, timeoutMs: uploadGraceMs });
    void runInContext(context, () =>
      transfer(serving, request, response).catch((error) => {
        // The client left: nobody to answer, and nothing wrong with us.
        if (request.destroyed && !request.complete) {
          response.destroy();
          return;
        }
        // What is still on its way is dropped: the client may read its answer, and use the connection again.
        request.resume();
        sendError(response, error, requestId, serving.logger);
      }),
    );
  });
  server.requestTimeout = uploadGraceMs;
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

const transfer = async (parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://files.invalid');
  const address = addressOf(url.pathname);
  if (!address) throw notFound('Path');
  const method = address.what === 'upload' ? 'PUT' : 'GET';
  const isRight = request.method === method || (method === 'GET' && request.method === 'HEAD');
  if (!isRight) {
    response.setHeader('allow', method === 'GET' ? 'GET, HEAD' : method);
    throw new CardinalError('method_not_allowed', 'The path takes another method');
  }
  if (!parts.urls.isGood(method, url, parts.now())) {
    throw new CardinalError('insufficient_scope', 'The URL was not signed by us, or has expired');
  }
  await (method === 'PUT' ? upload : download)(parts, address, request, response);
};
