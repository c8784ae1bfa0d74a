import { requestMeter } from '@cardinal/runtime';
import type { FastifyInstance } from 'fastify';
import '../routes.ts';

const meter = requestMeter({ name: 'cardinal_http_request', label: 'operation', help: 'Requests of the API' });

/** What nginx says of a client that went away before its answer had left. */
const clientClosedRequest = 499;

/** Measures every request by its operation and the status of its answer; what belongs to no operation is `none`. */
export const metrics = (app: FastifyInstance): void => {
  app.addHook('onRequest', ({ routeOptions }, reply, done) => {
    const operation = routeOptions.config?.operation?.id ?? 'none';
    const { raw } = reply;
    meter.began();
    // It comes for answered and for abandoned requests alike.
    raw.once('close', () =>
      meter.ended(operation, raw.writableFinished ? reply.statusCode : clientClosedRequest, reply.elapsedTime),
    );
    done();
  });
};
