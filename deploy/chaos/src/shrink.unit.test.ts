import { describe, expect, it } from 'vitest';
import { card, created, fault, historyOf, notFound, readCard } from '../test/histories.ts';
import { oneCard } from './checks/identifiers.ts';
import { nothingIsLost } from './checks/lives.ts';
import { dense } from './checks/numbers.ts';
import { shrink } from './shrink.ts';

const many = Array.from({ length: 40 }, (_, at) => created([at, at + 1], card(`n${at}`, 1, `OPS-${at + 1}`)));
const first = created([10, 11], card('a', 1, 'PAY-1'));

describe('shrink', () => {
  it('keeps the requests that show the violation, and the faults of that time', () => {
    const faults = [fault(0, 5, 'card-1'), fault(11, 30, 'card-2'), fault(300, 400, 'card-1')];
    const history = historyOf([...many, first, ...many, readCard([20, 21], card('b', 4, 'PAY-1'))], faults);
    const shrunk = shrink(history, oneCard);
    expect(shrunk.exchanges.map(({ id }) => id)).toEqual([40, 81]);
    expect(shrunk.faults).toEqual([faults[1]]);
    expect(oneCard.check(shrunk).violations).toHaveLength(1);
  });

  it('finds a short history also if the check does not name all of it', () => {
    const gap = created([50, 51], card('z', 1, 'OPS-42'));
    const shrunk = shrink(historyOf([...many, gap]), dense);
    expect(dense.check(shrunk).violations).toEqual(dense.check(historyOf([...many, gap])).violations);
  });

  it('does not confuse the violation with another one that a shorter history makes', () => {
    const deleted = {
      operation: 'deleteCard',
      path: '/cards/n0',
      ifMatch: 1,
      at: [45, 46] as [number, number],
      status: 204,
    };
    const history = historyOf([...many, first, deleted, notFound([47, 48], 'n0'), notFound([60, 61], 'a')]);
    const [violation] = nothingIsLost.check(shrink(history, nothingIsLost)).violations;
    expect(violation?.message).toBe('getCard does not find a, which nobody deleted');
  });

  it('does not change a history that breaks no rule', () => {
    const history = historyOf(many);
    expect(shrink(history, oneCard)).toBe(history);
  });
});
