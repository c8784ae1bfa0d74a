import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { between, type Gap, land } from './rules.ts';

const ulp = Number.MIN_VALUE;
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const extreme = fc.constantFrom(0, ulp, -ulp, 1e308, -1e308, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53, -(2 ** 53));
const position = fc.oneof({ weight: 3, arbitrary: finite }, { weight: 1, arbitrary: extreme });
const pair = fc
  .tuple(position, position)
  .filter(([one, other]) => one !== other)
  .map(([one, other]) => ({ above: Math.min(one, other), below: Math.max(one, other) }));
const gap: fc.Arbitrary<Gap> = fc.oneof(
  pair,
  position.map((below) => ({ above: null, below })),
  position.map((above) => ({ above, below: null })),
);

/** Computes the next double above. The bits of a positive double, read as an integer, ascend with its value. */
const next = (value: number) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  view.setBigInt64(0, value === 0 ? 1n : value > 0 ? bits + 1n : bits - 1n);
  return view.getFloat64(0);
};

const isInside = (value: number, { above, below }: Gap) =>
  (above === null || above < value) && (below === null || value < below);

describe('between', () => {
  it('lies strictly inside the gap, finite and never negative zero', () => {
    fc.assert(
      fc.property(gap, (neighbours) => {
        const found = between(neighbours);
        if (found === undefined) return;
        expect(isInside(found, neighbours)).toBe(true);
        expect(Number.isFinite(found)).toBe(true);
        expect(Object.is(found, -0)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds a position wherever a double lies between two', () => {
    fc.assert(
      fc.property(pair, ({ above, below }) => {
        expect(between({ above, below }) === undefined).toBe(next(above) === below);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([0, 1, -1, ulp, -ulp, 2 ** 53, -(2 ** 53), 1e308, -1e308])('finds room on both sides of %d', (edge) => {
    expect(between({ above: null, below: edge })).toBeLessThan(edge);
    expect(between({ above: edge, below: null })).toBeGreaterThan(edge);
  });

  it('finds no position beyond the last double', () => {
    expect(between({ above: null, below: -Number.MAX_VALUE })).toBeUndefined();
    expect(between({ above: Number.MAX_VALUE, below: null })).toBeUndefined();
  });

  it('steps by one at an open end', () => {
    expect(between({ above: null, below: 1 })).toBe(0);
    expect(between({ above: 3, below: null })).toBe(4);
    expect(between({ above: null, below: null })).toBe(0);
  });

  it('has room for at least fifty cards between two whole numbers', () => {
    let below = 2;
    for (let count = 0; count < 50; count += 1) {
      const found = between({ above: 1, below });
      expect(found).toBeDefined();
      below = found as number;
    }
  });
});

describe('land', () => {
  it('keeps the position of an item exactly where that is inside the gap already', () => {
    fc.assert(
      fc.property(gap, position, (neighbours, current) => {
        expect(land(neighbours, current) === current).toBe(isInside(current, neighbours));
      }),
    );
  });

  it('is undefined where the gap has no room', () => {
    expect(land({ above: 1, below: next(1) }, undefined)).toBeUndefined();
    expect(land({ above: 1, below: 2 }, undefined)).toBe(1.5);
  });
});
