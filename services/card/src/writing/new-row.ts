import { v7 } from 'uuid';

/**
 * What every new row begins with. Its id tells the time at which it was made, so that a list in the order of ids is one
 * in the order of `created_at`, whichever instances made its rows. Made under the locks that its write takes: a row that
 * waited for another one is the younger of the two.
 */
export const newRow = () => {
  const id = v7();
  const madeAt = timeOf(id);
  return { id, version: 1, created_at: madeAt, updated_at: madeAt };
};

/** An id of this kind begins with the milliseconds of its time, in 48 bits (RFC 9562, 5.7). */
const timeOf = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16));
