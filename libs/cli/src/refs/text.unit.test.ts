import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type Place, referencesIn } from './text.ts';

const found = async (text: string, chunkBytes: number, anyCase = false) => {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, n) =>
    bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes),
  );
  const places: Place[] = [];
  for await (const place of referencesIn(Readable.from(chunks), anyCase)) places.push(place);
  return places;
};

it('finds references wherever a stream is cut, with their lines and columns', async () => {
  const text = '🙂 PAY-1, UTF-8\r\n\néPAY-2 ops-3 PAY-45';
  for (const chunkBytes of [1, 2, 3, 5, 7, 100]) {
    expect(await found(text, chunkBytes)).toMatchObject([
      { requested: 'PAY-1', line: 1, column: 3 },
      { requested: 'UTF-8', line: 1, column: 10 },
      { requested: 'PAY-45', line: 3, column: 14 },
    ]);
  }
  expect(await found(text, 4, true)).toContainEqual(
    expect.objectContaining({ requested: 'ops-3', identifier: 'OPS-3', line: 3, column: 8 }),
  );
});
