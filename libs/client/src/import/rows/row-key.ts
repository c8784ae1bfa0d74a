import { createHash } from 'node:crypto';

/** A row's content in 32 bytes. */
export type RowHash = Buffer;

const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest();

/** Hashes every field of a row together with its column's name, so that the order of the columns does not matter. */
export const rowHash = (header: string[], cells: string[]): RowHash => {
  const fields = cells.map((cell, n): [string, string] => [header[n]?.trim() ?? '', cell]);
  return sha256(fields.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
};

/**
 * Counts how often each row came by, in about 100 bytes a distinct row: 48 bits of the hash stand for it. Should two
 * rows ever share them, the later one merely counts on from the earlier: its key stays its own.
 */
export const occurrenceCounter = () => {
  const seen = new Map<number, number>();
  return (hash: RowHash): number => {
    const short = hash.readUIntBE(0, 6);
    const occurrence = (seen.get(short) ?? 0) + 1;
    seen.set(short, occurrence);
    return occurrence;
  };
};

/**
 * The idempotency key of a row's card: the same row for the same column has the same key in every run, so that no run
 * makes a second card of it. Equal rows are told apart by their order.
 */
export const rowKey = (columnId: string, hash: RowHash, occurrence: number): string =>
  `import-${sha256(['card', columnId, hash.toString('hex'), occurrence]).toString('hex')}`;

/** The idempotency key of what the import makes for its cards: a board, a column or a workstream. */
export const thingKey = (...parts: (string | number)[]): string => `import-${sha256(parts).toString('hex')}`;
