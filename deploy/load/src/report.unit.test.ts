import { describe, expect, it } from 'vitest';
import { linesOf, plotOf, rowOf, scaleTableOf, spreadOf, tableOf } from './report.ts';
import type { CountedLeg } from './rounds.ts';

const leg = (perSecond: number, p50: number, failures = {}): CountedLeg => ({
  requests: perSecond,
  perSecond,
  p50,
  p99: p50 * 3,
  failures,
  generatorMs: 9 * perSecond,
  cpuMs: { postgres: 0.25, gateway: 0.5, 'load generator': 9 },
});

describe('spreadOf', () => {
  it.each([
    [[3], { median: 3, min: 3, max: 3 }],
    [[10, 2, 9], { median: 9, min: 2, max: 10 }],
    [[4, 1, 3, 2], { median: 2.5, min: 1, max: 4 }],
  ])('of %j', (values, spread) => {
    expect(spreadOf(values)).toEqual(spread);
  });

  it('needs figures', () => {
    expect(() => spreadOf([])).toThrow(RangeError);
  });
});

describe('a row', () => {
  const row = rowOf({
    path: 'read a card',
    clients: 32,
    legs: {
      together: [leg(200, 2), leg(900, 1, { 503: 4 })],
      apart: [leg(100, 4), leg(150, 2)],
      reference: [leg(100, 4), leg(300, 2)],
      release: [],
    },
    postgres: [400, 450],
  });

  it('compares each round with the same round of the reference', () => {
    expect(row.together.ratio).toEqual({ median: 2.5, min: 2, max: 3 });
    expect(row.together.p50Ratio).toEqual({ median: 0.5, min: 0.5, max: 0.5 });
    expect(row.postgresRatio).toEqual({ median: 1.25, min: 0.5, max: 2 });
    expect(row.failures).toBe(4);
  });

  it('is reported and drawn', () => {
    expect(tableOf([row])).toContain(
      '| read a card | 32 | 0.75 | 0.75 | 0.75 | 550 | 125 | 200 | 2.50 (2.00..3.00) | 0.75 (0.50..1.00) |',
    );
    expect(plotOf([row], 32)).toContain('read a card');
    expect(plotOf([row], 1)).not.toContain('read a card');
  });
});

it('scaleTableOf compares the largest with the smallest', () => {
  const costs = [10, 100].map((cards) => ({ path: 'list', cards, cpuMs: cards / 8, p50: 1 }));
  expect(scaleTableOf(costs)).toContain('| list | 1.250 | 12.500 | 10.00 |');
});

it('keeps results a line for each row, with five digits', () => {
  const text = linesOf({
    at: 'now',
    cards: 10_000,
    rows: [{ p50: 2.510847 }, { p50: 1_724_415 }],
    scale: [],
    events: undefined,
  });
  expect(JSON.parse(text)).toEqual({
    at: 'now',
    cards: 10_000,
    rows: [{ p50: 2.5108 }, { p50: 1_724_400 }],
    scale: [],
  });
  expect(text.split('\n')).toContain('{"p50":2.5108},');
});
