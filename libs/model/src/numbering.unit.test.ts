import { describe, expect, it } from 'vitest';
import { explore } from './explore.ts';
import { mutants, numberingModel, worlds } from './numbering.ts';

const each = Object.entries(worlds);

describe('numbers by grant', () => {
  it.each(each)('break no rule, leave no gap and have no dead end: %s', (_, { world }) => {
    const { finished, violations, stuck } = explore(numberingModel(world), { countStuck: true });
    expect({ violations, stuck }).toEqual({ violations: {}, stuck: 0 });
    expect(finished).toBeGreaterThan(0);
  });

  it.each(each.flatMap(([, { world, mutants }]) => mutants.map((mutant) => ({ mutant, world }))))(
    'break a rule with $mutant',
    ({ mutant, world }) => {
      expect(explore(numberingModel(world, mutant), { stopAtViolation: true }).violations).not.toEqual({});
    },
  );

  it('are explored with every mutant', () => {
    expect(each.flatMap(([, one]) => [...one.mutants]).sort()).toEqual(Object.keys(mutants).sort());
  });
});
