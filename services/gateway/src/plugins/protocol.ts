import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CardinalError } from '@cardinal/contracts';
import type { FastifyInstance } from 'fastify';
import { HttpError } from '../http/error-body.ts';
import { answerClientError } from './client-errors.ts';

const waiting = new WeakSet<IncomingMessage>();
const unmet = new WeakSet<IncomingMessage>();

/** RFC 9110 10.1.1; the catalogue has no code of its own for it. */
const expectationFailed = () =>
  new HttpError('invalid_request', 'Expect: only 100-continue can be met', { status: 417 });

/** True while the client waits for a word before it sends its body (`Expect: 100-continue`). */
export const waitsToSend = (request: IncomingMessage): boolean => waiting.has(request);

/** Asks clients that wait for it for their bodies, when everything else was checked: one that is refused sends none. */
export const askForBodies = (api: FastifyInstance): void => {
  api.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    if (waiting.delete(raw)) reply.raw.writeContinue();
    done();
  });
};

/**
 * Takes over what Node would answer by itself, without our headers and error body: `Expect`, a missing `Host`
 * (RFC 9112 3.2) and `CONNECT`.
 */
export const protocol = (app: FastifyInstance): void => {
  const { server } = app;
  const serve = (marked: WeakSet<IncomingMessage>) => (request: IncomingMessage, response: ServerResponse) => {
    marked.add(request);
    server.emit('request', request, response);
  };
  server.on('checkContinue', serve(waiting));
  server.on('checkExpectation', serve(unmet));
  server.on('connect', (_request: IncomingMessage, socket: Socket) => answerClientError(new Error('CONNECT'), socket));

  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (unmet.has(raw)) done(expectationFailed());
    else if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
      done(new CardinalError('invalid_request', 'The Host header is missing'));
    } else done();
  });
};
