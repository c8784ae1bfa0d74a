import { createHash } from 'node:crypto';
import { CardinalError } from '@cardinal/contracts';

/** What a keyset cursor holds: the sort keys of the last row of the page. */
export type CursorValue = string | number | null;

/** Ties the values to the list they came from; it keeps honest callers from mistakes, it is no signature. */
const seal = (scope: string, values: CursorValue[]) =>
  createHash('sha256')
    .update(JSON.stringify([scope, values]))
    .digest('base64url')
    .slice(0, 12);

/**
 * An opaque cursor.
 * @param scope names the list, its workspace and its filters: whatever must be equal for the cursor to make sense
 */
export function encodeCursor(scope: string, values: CursorValue[]): string {
  return Buffer.from(JSON.stringify([seal(scope, values), ...values])).toString('base64url');
}

/**
 * The values that {@link encodeCursor} was given.
 * @throws CardinalError `invalid_request` for a broken cursor or one of another list
 */
export function decodeCursor(scope: string, cursor: string): CursorValue[] {
  const [given, ...values] = parse(cursor);
  if (given !== seal(scope, values)) throw broken();
  return values;
}

const broken = () => new CardinalError('invalid_request', 'The cursor is not one of this list');

const isValue = (value: unknown): value is CursorValue =>
  value === null || typeof value === 'string' || typeof value === 'number';

function parse(cursor: string): CursorValue[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw broken();
  }
  if (!Array.isArray(parsed) || !parsed.every(isValue)) throw broken();
  return parsed;
}
