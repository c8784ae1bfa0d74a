import { describe, expect, it } from 'vitest';
import { explore } from '../explore.ts';
import { logModel } from './log.ts';
import { type Mutant, mutants } from './mutants.ts';
import { worlds } from './worlds.ts';

const each = Object.entries(worlds);
/** The violation of each mutant, in the world with its fault. */
const caughtBy: Partial<Record<Mutant, string>> = {
  unlockedPull: 'a gap, or out of order, although nothing was rolled back',
  noHorizon: 'a gap, or out of order, although nothing was rolled back',
  rowNotCompared: 'a gap, or out of order, although nothing was rolled back',
  noChain: 'a change that contradicts what was read',
};

describe('the log and its feeds', () => {
  it.each(each)('give no number twice, miss nothing and have no dead end: %s', (_, { world }) => {
    // One change of two instances is enough here; the command explores the rest.
    const narrow = world.instances === 2 && world.rollbacks > 0 ? { ...world, changes: 1 } : world;
    const { finished, violations, stuck } = explore(logModel(narrow), { countStuck: true });
    expect({ violations, stuck }).toEqual({ violations: {}, stuck: 0 });
    expect(finished).toBeGreaterThan(0);
  });

  it.each(each.flatMap(([, { world, mutants }]) => mutants.map((mutant: Mutant) => ({ mutant, world }))))(
    'are noticed with $mutant',
    ({ mutant, world }) => {
      const { violations } = explore(logModel(world, mutant), { stopAtViolation: true });
      expect(Object.keys(violations)).toContain(caughtBy[mutant] ?? 'one number, two events');
    },
  );

  it('are explored with every mutant', () => {
    expect(each.flatMap(([, one]) => [...one.mutants]).sort()).toEqual(Object.keys(mutants).sort());
  });
});
