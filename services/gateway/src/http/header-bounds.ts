import type { IncomingHttpHeaders } from 'node:http';
import { CardinalError } from '@cardinal/contracts';

/** The most characters of a header that is read here. */
export const maxHeaderLength = 1024;

/** Tokens need more. */
const maxLengthOf: Record<string, number> = { authorization: 8 * 1024 };

/**
 * The headers that somebody here reads, this code, its framework or Node, beside `Authorization`. `X-Request-Id` and
 * `traceparent` are not refused either: what is not sane of them is not taken. All others are nobody's business here
 * (ADR 0011); Node bounds the whole of them at 16 KiB.
 */
const read = [
  'if-match',
  'if-none-match',
  'idempotency-key',
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'host',
  'origin',
  'access-control-request-method',
  'access-control-request-headers',
  'range',
  'if-range',
] as const;

/** The name as it is written. */
const written = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());

/**
 * @param name in lower case
 * @throws CardinalError `invalid_request`, naming the header, where the value is overlong
 */
export const checkHeaderLength = (name: string, value: string): void => {
  const most = maxLengthOf[name] ?? maxHeaderLength;
  if (value.length <= most) return;
  throw new CardinalError('invalid_request', `${written(name)} must have at most ${most} characters`);
};

/** Checks every header that is read here but `Authorization`; throws as {@link checkHeaderLength}. */
export const checkHeaderLengths = (headers: IncomingHttpHeaders): void => {
  for (const name of read) {
    const value = headers[name];
    if (value !== undefined) checkHeaderLength(name, String(value));
  }
};
