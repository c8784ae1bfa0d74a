import type { Server } from 'node:http';
import { type Logger, requestIdOf } from '@cardinal/runtime';
import fastify, { type FastifyHttpOptions, type FastifyInstance, LogController } from 'fastify';
import { oneAtATime } from './connections.ts';
import { answerClientError } from './protocol.ts';

/** Longer than any request line can be: what is wrong with a parameter, its own rule says. */
const maxParamLength = 100_000;

/**
 * An HTTP server that clients reach, not listening yet. It logs nothing of requests itself, knows them by their
 * `X-Request-Id`, and parses no body.
 * @param own what is the server's own: how long a request may take to arrive (`requestTimeout`, ms), and the like
 */
export const openEdge = (logger: Logger, { http, ...own }: FastifyHttpOptions<Server>): FastifyInstance => {
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: () => logger,
    genReqId: requestIdOf,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength },
    http: { ...http, requireHostHeader: false },
    clientErrorHandler: answerClientError,
    ...own,
  }) as unknown as FastifyInstance;
  app.removeAllContentTypeParsers();
  oneAtATime(app.server);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' });
    done();
  });
  return app;
};
