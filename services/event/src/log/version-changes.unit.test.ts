import { describe, expect, it } from 'vitest';
import { type Step, versionChangesOf } from './version-changes.ts';

/** Steps from their versions, oldest first; null is an event of a part. */
const stepsOf = (...versions: (number | null)[]): Step[] =>
  versions.map((version) => ({ version, type: 'card.updated' as const, at: '', user_id: '', changed: [] })).reverse();

const found = (steps: Step[], after: number, until: number) => {
  const { changes, ...rest } = versionChangesOf(steps, { after, until });
  return { versions: changes.map(({ version }) => version), ...rest };
};

const whole = { complete: true, isBehind: false };

describe('what made the versions of a resource', () => {
  it.each([
    ['its own events', [1, 2, 3, 4], 2, 4, [3, 4]],
    ['events of its parts, counted from its own', [2, null, null, 5, null], 2, 6, [3, 4, 5, 6]],
    ['events of its parts alone, before one of its own', [null, null, 9], 6, 8, [7, 8]],
    ['newer events, its own and of parts', [1, 2, null, 4, null], 1, 2, [2]],
    ['those of a state that a rollback undid', [3, 4, 5, 4, 5], 3, 5, [4, 5]],
  ])('%s', (_, versions, after, until, expected) => {
    expect(found(stepsOf(...versions), after, until)).toEqual({ versions: expected, ...whole });
  });

  it.each([
    ['the log does not reach back', [5, 6], 2, 6, [5, 6]],
    ['one is missing', [2, 4, 5], 2, 5, [4, 5]],
  ])('is incomplete where %s', (_, versions, after, until, expected) => {
    expect(found(stepsOf(...versions), after, until)).toEqual({ versions: expected, complete: false, isBehind: false });
  });

  it.each([
    ['nothing', []],
    ['events of parts alone', [null, null]],
    ['events of parts alone before its first version', [null, null, 1]],
    ['older events', [2, 3]],
  ])('is behind with %s', (_, versions) => {
    expect(found(stepsOf(...versions), 3, 5)).toEqual({ versions: [], complete: false, isBehind: true });
  });

  it('is the newest hundred of more', () => {
    const steps = stepsOf(...Array.from({ length: 150 }, (_, n) => n + 1));
    const { versions, ...rest } = found(steps, 20, 150);
    expect([versions.length, versions[0], rest]).toEqual([100, 51, { complete: false, isBehind: false }]);
  });
});
