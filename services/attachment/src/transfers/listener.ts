import type { AddressInfo } from 'node:net';
import { CardinalError, notFound, unavailable } from '@cardinal/contracts';
import {
  askForBody,
  connectionDrain,
  cors,
  openEdge,
  protocol,
  refuseUnmet,
  sendError,
  toCardinalError,
} from '@cardinal/edge';
import { type Logger, newContext, runInContext } from '@cardinal/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import { receiveUpload } from '../uploads/receive.ts';
import { download } from './download.ts';
import { type Address, addressOf, urlOf } from './signed-urls.ts';

/** The longest header value that is accepted, bytes. */
const maxHeaderBytes = 1024;
const boundedHeaders = ['range', 'if-range', 'if-none-match', 'origin', 'access-control-request-headers'] as const;
/** Interval at which Node checks for slow requests, ms. */
const lookMs = 30_000;

/** Headers of every answer of this listener: no sniffing, scripts, frames or shared caches. */
const securityHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The response headers that a page may read, besides those that every page may. */
const exposedHeaders = [
  'accept-ranges',
  'content-disposition',
  'content-length',
  'content-range',
  'etag',
  'retry-after',
  'x-request-id',
];
/** Seconds for which a browser may cache the preflight. */
const maxAge = 7_200;

const methodsOf = ({ what }: Address) => (what === 'upload' ? ['PUT'] : ['GET', 'HEAD']);

const targetOf = ({ originalUrl }: FastifyRequest) => {
  const url = urlOf(originalUrl);
  const address = url && addressOf(url.pathname);
  return address ? { url, address } : undefined;
};

/** The listener for uploads and downloads of clients. */
export type Listener = Awaited<ReturnType<typeof openListener>>;

/**
 * Opens the listener. It answers 503 until it has its handler: the URLs that the service makes contain its port.
 * @param lingerMs how long the rest of a refused upload is read and dropped, ms, so that the client can read the answer
 */
export const openListener = async (config: Config, logger: Logger, lingerMs = 10_000) => {
  const { TRANSFER_TIMEOUT_MS: timeoutMs, TRANSFER_IDLE_MS: idleMs } = config;
  let context: ServiceContext | undefined;

  const app = openEdge(logger, {
    requestTimeout: timeoutMs,
    connectionTimeout: idleMs,
    http: {
      // Node uses the longer one of the two for the whole request.
      headersTimeout: Math.min(60_000, timeoutMs),
      connectionsCheckingInterval: Math.min(lookMs, timeoutMs),
    },
    // A URL may begin with any path, and need not be a path: `targetOf` reads it.
    rewriteUrl: () => '/',
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    // The client left: there is nobody to answer, and no failure of ours.
    if (request.raw.destroyed && !request.raw.complete) {
      reply.hijack();
      reply.raw.destroy();
      return;
    }
    const { code } = toCardinalError(error);
    if (code === 'internal') logger.error({ err: error }, 'a transfer failed');
    if (code === 'unavailable') logger.warn({ err: error }, 'a transfer could not be served');
    sendError(request, reply, error);
  });
  protocol(app, { idleMs, timeoutMs, lingerFor: { ms: lingerMs, bytes: config.MAX_FILE_BYTES } });
  refuseUnmet(app);
  app.addHook('onRequest', (request, _reply, done) => done(overlong(request)));
  await cors(app, {
    origins: config.ALLOWED_ORIGINS,
    exposedHeaders,
    maxAge,
    methodsOf: (request) => {
      const target = targetOf(request);
      return target && methodsOf(target.address);
    },
  });
  app.addHook('preClose', connectionDrain(app.server));
  // The storage reads the bytes of an upload.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  const serve = (request: FastifyRequest, reply: FastifyReply) =>
    runInContext(newContext({ requestId: request.id, timeoutMs }), () => {
      if (!context) throw unavailable('The service is starting');
      return transfer(context, request, reply);
    });
  app.route({ method: ['GET', 'HEAD', 'PUT'], url: '/', exposeHeadRoute: false, handler: serve });
  app.setNotFoundHandler(serve);
  await app.listen({ port: config.FILES_PORT, host: config.FILES_HOST });

  return {
    port: (app.server.address() as AddressInfo).port,
    serve(given: ServiceContext): void {
      context = given;
    },
    /** Accepts no further request and gives running ones a moment. */
    close: () => app.close(),
  };
};

const overlong = ({ headers }: FastifyRequest) => {
  const long = boundedHeaders.find((name) => (headers[name]?.length ?? 0) > maxHeaderBytes);
  return long && new CardinalError('invalid_request', `${long} may have at most ${maxHeaderBytes} bytes`);
};

const transfer = async (context: ServiceContext, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
  const target = targetOf(request);
  if (!target) throw notFound('Path');
  const { url, address } = target;
  const methods = methodsOf(address);
  if (!methods.includes(request.method)) {
    reply.header('allow', methods.join(', '));
    throw new CardinalError('method_not_allowed', 'The path takes another method');
  }
  const isUpload = address.what === 'upload';
  if (!context.urls.isGood(isUpload ? 'PUT' : 'GET', url, context.now())) {
    throw new CardinalError('insufficient_scope', 'The URL was not signed by us, or has expired');
  }
  if (!isUpload) return download(context, address, request, reply);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    askForBody(request, reply);
    // A refusal must not close the connection that carries it.
    yield* request.raw.iterator({ destroyOnReturn: false });
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  return { data: await receiveUpload(context, { ...address, announced, bytes: bytes() }) };
};
