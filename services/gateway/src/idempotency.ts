import { hash } from 'node:crypto';
import {
  apiPrefix,
  type Caller,
  CardinalError,
  type Command,
  type HttpOperation,
  idempotencyKeyRule,
} from '@cardinal/contracts';
import type { FastifyRequest } from 'fastify';
import stringify from 'safe-stable-stringify';
import { v7 } from 'uuid';

declare module 'fastify' {
  interface FastifyRequest {
    /** The checked `Idempotency-Key`, where the endpoint requires it. */
    idempotencyKey: string | undefined;
  }
}

/**
 * The command id of an idempotency key in an operation (CONTRACT 3.4): a UUID of version 8 (RFC 9562
 * 5.8) made of a SHA-256.
 */
export const commandIdOf = ({ workspace_id, user_id }: Caller, operationId: string, key: string): string => {
  const hex = hash('sha256', `${workspace_id}|${user_id}|${operationId}\n${key}`, 'hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
};

/** @throws CardinalError `invalid_request` where the header is missing or not 1 to 255 visible ASCII characters */
export const parseIdempotencyKey = (header: string | undefined): string => {
  if (header === undefined) throw new CardinalError('invalid_request', 'Idempotency-Key is missing');
  if (idempotencyKeyRule.pattern.test(header)) return header;
  throw new CardinalError('invalid_request', `Idempotency-Key ${idempotencyKeyRule.words}`);
};

/**
 * The fingerprint by which two requests with one idempotency key are the same request (CONTRACT 3.4). The body counts as
 * it was sent: a default that a later release adds must not change the fingerprint of a retry.
 * @returns SHA-256 in hex; the order of the body's keys and its white space do not count
 */
export const fingerprintOf = ({
  method,
  path,
  ifMatch,
  body,
}: {
  method: string;
  path: string;
  ifMatch: string | undefined;
  body: unknown;
}): string => {
  const canonicalBody = body === undefined ? '' : stringify(body);
  return hash('sha256', `${JSON.stringify([method, path, ifMatch ?? null])}\n${canonicalBody}`, 'hex');
};

/** Requires `Idempotency-Key` and sets `request.idempotencyKey`. */
export const requireIdempotencyKey = (request: FastifyRequest): void => {
  // A repeated header arrives joined by ", " and is refused for its blank.
  request.idempotencyKey = parseIdempotencyKey(request.headers['idempotency-key'] as string | undefined);
};

/**
 * The command of a mutation: that of its key and operation, or a new one where the endpoint takes no key. Cards in the path
 * count by their ids, however they were spelled (CONTRACT 4.5).
 * @param params of its path, all of them ids
 */
export const commandOf = (
  request: FastifyRequest,
  operation: Pick<HttpOperation, 'id' | 'path'>,
  params: Record<string, string>,
): Command => {
  const { idempotencyKey, principal, method, headers, sentBody } = request;
  const path = apiPrefix + operation.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
  return {
    id: idempotencyKey === undefined ? v7() : commandIdOf(principal.caller, operation.id, idempotencyKey),
    fingerprint: fingerprintOf({ method, path, ifMatch: headers['if-match'], body: sentBody }),
  };
};
