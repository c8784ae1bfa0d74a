import type { Logger } from '@cardinal/runtime';
import type { FastifyInstance } from 'fastify';
import { inRequest } from './request-context.ts';

/**
 * One line a request: `info` for a refusal or a failure, `debug` for a success, because at full speed the lines of
 * successes cost more than they tell. Neither headers, bodies nor the query are logged.
 */
export const accessLog = (app: FastifyInstance, logger: Logger): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode >= 400 ? 'info' : 'debug';
    if (logger.isLevelEnabled(level)) {
      inRequest(request, () =>
        logger[level](
          {
            method: request.method,
            path: request.url.split('?', 1)[0],
            status: reply.statusCode,
            duration_ms: Math.round(reply.elapsedTime),
            workspace_id: request.principal?.caller.workspace_id,
          },
          'request',
        ),
      );
    }
    done();
  });
};
