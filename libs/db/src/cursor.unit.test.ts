import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.ts';

const scope = 'cards/w1/board=b1';
const values = ['Füße "\\', 1.5e-7, null, -0.1, ''];
const forged = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
const invalid = expect.objectContaining({ code: 'invalid_request' });

describe('a cursor', () => {
  it('gives back what it was made of, and fits into a query parameter as it is', () => {
    const cursor = encodeCursor(scope, values);
    expect(decodeCursor(scope, cursor)).toEqual(values);
    expect(encodeURIComponent(cursor)).toBe(cursor);
  });

  it('holds no values where there are none', () => {
    expect(decodeCursor(scope, encodeCursor(scope, []))).toEqual([]);
  });

  it.each([
    ['of another list', encodeCursor('cards/w2/board=b1', values)],
    ['cut short', encodeCursor(scope, values).slice(0, -3)],
    ['with another value', forged([seal(), 'a'])],
    ['empty', ''],
    ['that is no JSON', 'x'],
    ['that is no list', forged({ a: 1 })],
    ['with a value of another kind', forged([seal(), { a: 1 }])],
    ['with nothing in it', forged([])],
    ['of bytes that are no text', Buffer.from([0xff, 0xfe]).toString('base64url')],
  ])('%s is refused', (_, cursor) => {
    expect(() => decodeCursor(scope, cursor)).toThrow(invalid);
  });
});

function seal() {
  const [first] = JSON.parse(Buffer.from(encodeCursor(scope, []), 'base64url').toString());
  return first;
}
