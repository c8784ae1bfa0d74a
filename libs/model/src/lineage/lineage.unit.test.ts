import { describe, expect, it } from 'vitest';
import { explore } from '../explore.ts';
import { lineageModel } from './lineage.ts';
import { type Mutant, mutants } from './mutants.ts';
import { worlds } from './worlds.ts';

const each = Object.entries(worlds);
/** The violation of each mutant, in the world with its fault. */
const caughtBy: Partial<Record<Mutant, string>> = {
  markWithoutBase: 'a gap of more than a grant',
  markWithoutEpoch: 'a gap of more than a grant',
  witnessFirst: 'a gap although nothing was rolled back',
  freshIdForOldPrefix: 'one prefix, two workstreams',
  remadeFromZero: 'one prefix, two workstreams',
  closeWithoutMeeting: 'issued after the archive was answered',
};

describe('a database that is rolled back', () => {
  it.each(each)('gives no number twice, and skips a grant at most: %s', (_, { world }) => {
    const { finished, violations } = explore(lineageModel(world));
    expect(violations).toEqual({});
    expect(finished).toBeGreaterThan(0);
  });

  it.each(each.flatMap(([, { world, mutants }]) => mutants.map((mutant: Mutant) => ({ mutant, world }))))(
    'is noticed with $mutant',
    ({ mutant, world }) => {
      const { violations } = explore(lineageModel(world, mutant), { stopAtViolation: true });
      expect(Object.keys(violations)).toEqual([caughtBy[mutant] ?? 'one number, two cards']);
    },
  );

  it('is explored with every mutant', () => {
    expect(each.flatMap(([, one]) => [...one.mutants]).sort()).toEqual(Object.keys(mutants).sort());
  });

  it('gives numbers twice where it is rolled back by less than a tick and keeps its identity, which cannot be detected', () => {
    const { world } = worlds['set back'];
    const { violations } = explore(lineageModel({ ...world, withinTick: true }), { stopAtViolation: true });
    expect(Object.keys(violations)).toEqual(['one number, two cards']);
  });

  it('leaves no gap where the register alone is lost', () => {
    const { world } = worlds['lost register'];
    const { finished, violations } = explore(lineageModel({ ...world, rollbacks: 0, lateAsks: true, issues: 3 }));
    expect(violations).toEqual({});
    expect(finished).toBeGreaterThan(0);
  });
});
