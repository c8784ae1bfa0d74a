import { CardinalError } from '@cardinal/contracts';

const format = /^[\x21-\x7e]{1,255}$/;

/**
 * Checks an `Idempotency-Key` (api-decisions, "Idempotency").
 * @throws CardinalError `invalid_request` where it is missing or not 1 to 255 visible ASCII characters
 */
export const parseIdempotencyKey = (header: string | undefined): string => {
  if (header === undefined) throw new CardinalError('invalid_request', 'Idempotency-Key is missing');
  if (format.test(header)) return header;
  throw new CardinalError('invalid_request', 'Idempotency-Key must be 1 to 255 visible ASCII characters');
};
