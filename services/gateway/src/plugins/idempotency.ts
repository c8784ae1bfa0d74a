import type { Command } from '@cardinal/contracts';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { v7 } from 'uuid';
import { commandIdOf } from '../http/command-id.ts';
import { fingerprintOf } from '../http/fingerprint.ts';
import { parseIdempotencyKey } from '../http/idempotency-key.ts';
import '../request.ts';

/** Requires `Idempotency-Key` and sets `request.idempotencyKey`. */
export const requireIdempotencyKey: onRequestHookHandler = (request, _reply, done) => {
  // A repeated header arrives joined by ", " and is refused for its blank.
  request.idempotencyKey = parseIdempotencyKey(request.headers['idempotency-key'] as string | undefined);
  done();
};

/** The command that a mutation carries: the key's in its operation, or one of its own where the endpoint takes no key. */
export const commandOf = (request: FastifyRequest, operationId: string): Command => {
  const { idempotencyKey, principal, method, headers, sentBody } = request;
  const path = request.url.split('?', 1)[0] ?? '';
  return {
    id: idempotencyKey === undefined ? v7() : commandIdOf(principal.caller, operationId, idempotencyKey),
    fingerprint: fingerprintOf({ method, path, ifMatch: headers['if-match'], body: sentBody }),
  };
};
