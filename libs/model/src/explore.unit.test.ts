import { describe, expect, it } from 'vitest';
import { explore, type Model } from './explore.ts';

/** Counts up to three, by ones and twos, and may fall into a hole from two. */
const counting = (broken: (state: { at: number }) => string[] = () => []): Model<{ at: number }> => ({
  initial: { at: 0 },
  steps: ({ at }, step) => {
    step('one', (draft) => {
      draft.at += 1;
      return at < 3;
    });
    step('two', (draft) => {
      draft.at += 2;
      return at < 2;
    });
    if (at === 2)
      step('fall', (draft) => {
        draft.at = 9;
      });
  },
  broken,
  finished: ({ at }) => at === 3,
});

describe('explore', () => {
  it('visits every state once, and counts those that lead nowhere', () => {
    const found = explore(counting(), { countStuck: true });
    expect(found).toEqual({ states: 5, finished: 1, violations: {}, path: undefined, stuck: 1 });
  });

  it('shows a shortest path to a violation, from which nothing follows', () => {
    const found = explore(counting(({ at }) => (at === 2 ? ['two is wrong'] : [])));
    expect(found).toMatchObject({ violations: { 'two is wrong': 1 }, path: ['two'], states: 4, finished: 1 });
  });

  it('fails where there are more states than expected', () => {
    expect(() => explore(counting(), { limit: 3 })).toThrow('more than 3 states');
  });
});
