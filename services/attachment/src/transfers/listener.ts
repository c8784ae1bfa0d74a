import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CardinalError, notFound, unavailable } from '@cardinal/contracts';
import { connectionDrain, newContext, runInContext } from '@cardinal/runtime';
import type { Config } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import { receiveUpload } from '../uploads/receive.ts';
import { download } from './download.ts';
import { allowOrigin, answerPreflight, endWithError, identify, sendError, sendJson, sendRefusal } from './responses.ts';
import { addressOf, urlOf } from './signed-urls.ts';

/** How long what still comes of a refused upload is read and dropped, so that its client reads the answer, ms. */
const drainMs = 10_000;
/** How long a client that sends more than that may take until it reads the answer, ms. */
const lingerMs = 2_000;
/** The longest header value that is looked at, bytes. */
const maxHeaderBytes = 1024;
const boundedHeaders = ['range', 'if-range', 'if-none-match', 'origin', 'access-control-request-headers'] as const;
/** Node looks for requests that take too long only so often, ms. */
const lookMs = 30_000;
/** As long as the gateway keeps one. */
const keepAliveMs = 72_000;

/** The listener that clients upload to and download from. */
export type Listener = Awaited<ReturnType<typeof openListener>>;

/** Listens; answers 503 until it is told what to serve, because the URLs that the service makes name its port. */
export const openListener = async (config: Config) => {
  const { TRANSFER_TIMEOUT_MS: timeoutMs } = config;
  let context: ServiceContext | undefined;
  /** What a connection was answered last. */
  const answers = new WeakMap<Socket, ServerResponse>();

  /** @param isAwaited whether the client waits to be told to send its body (RFC 9110, 10.1.1) */
  const answer = (request: IncomingMessage, response: ServerResponse, isAwaited: boolean) => {
    answers.set(request.socket, response);
    const requestId = identify(request, response);
    const serving = context;
    const proceed = () => {
      if (isAwaited) response.writeContinue();
      isAwaited = false;
    };
    void runInContext(newContext({ requestId, timeoutMs }), async () => {
      try {
        requireSaneHeaders(request);
        allowOrigin(request, response, config.ALLOWED_ORIGINS);
        if (!serving) throw unavailable('The service is starting');
        await transfer(serving, request, response, proceed);
      } catch (error) {
        // The client left: nobody to answer, and nothing wrong with us.
        if (request.destroyed && !request.complete) {
          response.destroy();
          return;
        }
        if (isAwaited) response.setHeader('connection', 'close');
        else drainBody(request, serving ? config.MAX_FILE_BYTES : 0);
        sendError(response, error, serving?.logger);
      }
    });
  };

  const server = createServer({
    connectionsCheckingInterval: Math.min(lookMs, timeoutMs),
    // Refused by `requireSaneHeaders`, with a body.
    requireHostHeader: false,
  });
  const drain = connectionDrain(server);
  server.on('request', (request, response) => answer(request, response, false));
  server.on('checkContinue', (request, response) => answer(request, response, true));
  server.on('checkExpectation', (request, response) => {
    identify(request, response);
    response.setHeader('connection', 'close');
    sendRefusal(response, 417, 'The expectation is not met here');
  });
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    const response = answers.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || (response?.headersSent && !response.writableFinished)) {
      socket.destroy();
    } else endWithError(socket, error.code);
  });
  server.requestTimeout = timeoutMs;
  // Node takes the longer one of the two for the whole request.
  server.headersTimeout = Math.min(server.headersTimeout, timeoutMs);
  server.setTimeout(config.TRANSFER_IDLE_MS);
  // Longer than clients and load balancers keep an idle connection: none sends into one that is just being closed.
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.FILES_PORT, config.FILES_HOST, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    serve(given: ServiceContext): void {
      context = given;
    },
    /** Takes no further request and gives those under way a moment. */
    async close(): Promise<void> {
      await drain();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/**
 * Drops the rest of what was refused, so that the client may read its answer and use the connection again. Beyond `most`
 * bytes it is left unread: a client that sends faster than it reads has to wait, and reads, where a connection that was
 * torn down would take the answer along.
 */
const drainBody = (request: IncomingMessage, most: number) => {
  let left = most;
  let timer = setTimeout(() => request.destroy(), drainMs);
  request.once('close', () => clearTimeout(timer));
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left >= 0 || request.isPaused()) return;
    request.pause();
    clearTimeout(timer);
    timer = setTimeout(() => request.destroy(), lingerMs);
  });
};

/** @throws CardinalError `invalid_request` without a Host (RFC 9112, 3.2), and for a header that is too long to be looked at */
const requireSaneHeaders = ({ headers, httpVersion }: IncomingMessage) => {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new CardinalError('invalid_request', 'The Host header is missing');
  }
  const long = boundedHeaders.find((name) => (headers[name]?.length ?? 0) > maxHeaderBytes);
  if (long) throw new CardinalError('invalid_request', `${long} may have at most ${maxHeaderBytes} bytes`);
};

/** @param proceed tells a client that waits for it to send its body */
const transfer = async (
  context: ServiceContext,
  request: IncomingMessage,
  response: ServerResponse,
  proceed: () => void,
): Promise<void> => {
  const url = urlOf(request.url ?? '/');
  const address = url && addressOf(url.pathname);
  if (!address) throw notFound('Path');
  const isUpload = address.what === 'upload';
  const methods = isUpload ? ['PUT'] : ['GET', 'HEAD'];
  if (request.method === 'OPTIONS') return answerPreflight(request, response, methods.join(', '));
  if (!methods.includes(request.method ?? '')) {
    response.setHeader('allow', methods.join(', '));
    throw new CardinalError('method_not_allowed', 'The path takes another method');
  }
  if (!context.urls.isGood(isUpload ? 'PUT' : 'GET', url, context.now())) {
    throw new CardinalError('insufficient_scope', 'The URL was not signed by us, or has expired');
  }
  if (!isUpload) return download(context, address, request, response);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    proceed();
    // A refusal must not tear the connection down that carries it.
    yield* request.iterator({ destroyOnReturn: false });
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  sendJson(response, 200, { data: await receiveUpload(context, { ...address, announced, bytes: bytes() }) });
};
