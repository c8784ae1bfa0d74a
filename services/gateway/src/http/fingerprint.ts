import { hash } from 'node:crypto';
import stringify from 'safe-stable-stringify';

interface FingerprintParts {
  method: string;
  /** The path as it was sent, without the query. A retry sends the same one, so nothing is normalised. */
  path: string;
  ifMatch: string | undefined;
  /** The JSON value as it was sent: a default that a later release adds must not change the fingerprint of a retry. */
  body: unknown;
}

/**
 * What makes two requests with one idempotency key the same request (api-decisions, "Idempotency").
 * @returns SHA-256 in hex; the order of the body's keys and its white space do not count
 */
export const fingerprintOf = ({ method, path, ifMatch, body }: FingerprintParts): string => {
  const canonicalBody = body === undefined ? '' : stringify(body);
  return hash('sha256', `${JSON.stringify([method, path, ifMatch ?? null])}\n${canonicalBody}`, 'hex');
};
