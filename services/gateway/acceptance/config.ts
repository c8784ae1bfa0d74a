/** What the acceptance tests read from the environment. */
const isFull = process.env.FULL_ROUNDS === '1';

/**
 * How often a test repeats what must never go wrong: a tenth of what is promised in the usual run, and all of it with
 * `FULL_ROUNDS=1`.
 */
export const rounds = (promised: number): number => (isFull ? promised : Math.ceil(promised / 10));
