import { describe, expect, it } from 'vitest';
import { explore } from '../explore.ts';
import { adoptionModel } from './adoption.ts';
import { type Mutant, mutants } from './mutants.ts';
import { worlds } from './worlds.ts';

const each = Object.entries(worlds);
const mutantsOf = each.flatMap(([, { world, mutants }]) => mutants.map((mutant: Mutant) => ({ mutant, world })));

describe('an adopting workstream', () => {
  it.each(each)('has no identifier on two cards, no gap once it is open, and no dead end: %s', (_, { world }) => {
    const { finished, violations, stuck } = explore(adoptionModel(world), { countStuck: true });
    expect({ violations, stuck }).toEqual({ violations: {}, stuck: 0 });
    expect(finished).toBeGreaterThan(0);
  });

  it.each(mutantsOf.filter(({ mutant }) => mutant !== 'flagRefuses'))(
    'breaks a rule with $mutant',
    ({ mutant, world }) => {
      expect(explore(adoptionModel(world, mutant), { stopAtViolation: true }).violations).not.toEqual({});
    },
  );

  it('has a dead end where a create trusts the flag of a card database that was rolled back', () => {
    const { stuck } = explore(adoptionModel(worlds['cards rolled back'].world, 'flagRefuses'), { countStuck: true });
    expect(stuck).toBeGreaterThan(0);
  });

  it('is explored with every mutant', () => {
    expect(mutantsOf.map(({ mutant }) => mutant).sort()).toEqual(Object.keys(mutants).sort());
  });

  it('has a number on two cards where both databases forgot the first and another row has it, which cannot be detected', () => {
    const { world } = worlds['both rolled back'];
    const { violations } = explore(adoptionModel({ ...world, imports: [['1 a'], ['1 b']] }), { stopAtViolation: true });
    expect(Object.keys(violations)).toEqual(['one identifier, two cards']);
  });
});
