import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Random } from './system.ts';

/** The initial number of a stream. */
const beginning = (path: string) => createHash('sha256').update(path).digest().readInt32BE();

const stream = (path: string): Random => {
  const generator = xoroshiro128plus(beginning(path));
  const int = (min: number, max: number) => uniformInt(generator, min, max);
  return {
    int,
    pick: <T>(of: readonly T[]) => {
      if (of.length === 0) throw new Error('nothing to pick from');
      return of[int(0, of.length - 1)] as T;
    },
    chance: (probability) => int(0, 999_999) < probability * 1_000_000,
    fork: (name) => stream(`${path}/${name}`),
  };
};

/** The source of all randomness of a run. Equal seeds give equal streams; a fork depends on its name alone. */
export const randomOf = (seed: number): Random => stream(String(seed));

/** Returns the same items in a random order. */
export const shuffled = <T>(random: Random, of: readonly T[]): T[] => {
  const rest = [...of];
  return of.map(() => rest.splice(random.int(0, rest.length - 1), 1)[0] as T);
};
