import { describe, expect, it } from 'vitest';
import { card, deletedCard, fault, lookedUp, saidOf, type Told } from '../../test/histories.ts';
import { countsAreTrue, listsAreTrue } from './dependencies.ts';

const edge = (operation: string, at: [number, number], from: string, to: string, status?: number): Told => {
  const told = { operation, path: `/cards/${from}/dependencies/${to}`, at };
  return status === undefined ? told : { ...told, status };
};
const put = (at: [number, number], from: string, to: string, status?: number) =>
  edge('putDependency', at, from, to, status);
const removed = (at: [number, number], from: string, to: string, status?: number) =>
  edge('deleteDependency', at, from, to, status);
const list = (at: [number, number], ...linked: string[]): Told => {
  return {
    operation: 'listDependencies',
    path: '/cards/a/dependencies?limit=100',
    at,
    status: 200,
    seen: { linked, more: false },
  };
};

describe('a list of dependencies shows the acknowledged ones', () => {
  it('passes either, where a write crossed the list or its outcome is unknown', () => {
    expect(saidOf(listsAreTrue, [put([0, 9], 'a', 'b', 200), list([1, 2]), list([1, 2], 'b')])).toEqual([]);
    expect(
      saidOf(listsAreTrue, [put([0, 1], 'a', 'b', 200), removed([2, 3], 'a', 'b'), list([8, 9]), list([8, 9], 'b')]),
    ).toEqual([]);
  });

  it('catches one that is left out, one that is gone, one to a deleted card, and one that was refused', () => {
    expect(saidOf(listsAreTrue, [put([0, 1], 'a', 'b', 200), list([2, 3])])).toEqual([
      'listDependencies of a leaves b out',
    ]);
    const gone = ['listDependencies of a still has b'];
    expect(
      saidOf(listsAreTrue, [put([0, 1], 'a', 'b', 200), removed([2, 3], 'a', 'b', 204), list([4, 5], 'b')]),
    ).toEqual(gone);
    expect(
      saidOf(listsAreTrue, [put([0, 1], 'a', 'b', 200), deletedCard([2, 3], 'b', 204), list([4, 5], 'b')]),
    ).toEqual(gone);
    expect(saidOf(listsAreTrue, [put([0, 1], 'a', 'b', 409), list([4, 5], 'b')])).toHaveLength(1);
  });
});

describe('a look-up counts the acknowledged dependencies', () => {
  const counted = (at: [number, number], dependencies: number, client = 0): Told => {
    const one = card('a', 1, 'PAY-1');
    const lookup = { resolved: 'PAY-1', alias: false, current: 'PAY-1', dependencies, dependents: 0 };
    return lookedUp(at, 'PAY-1', one, { seen: { card: one, lookup }, client });
  };
  const told = put([0, 1], 'a', 'b', 200);

  it('passes answered writes, and concurrent ones', () => {
    expect(saidOf(countsAreTrue, [told, counted([2, 3], 1)])).toEqual([]);
    expect(saidOf(countsAreTrue, [put([0, 9], 'a', 'b', 200), counted([2, 3], 0), counted([2, 3], 1)])).toEqual([]);
  });

  it('catches too few and too many', () => {
    expect(saidOf(countsAreTrue, [told, counted([2, 3], 0)])).toEqual([
      'a look-up counts 0 dependencies of card a, which has /cards/a/dependencies/b',
    ]);
    expect(saidOf(countsAreTrue, [told, removed([2, 3], 'a', 'b', 204), counted([4, 5], 1)])).toHaveLength(1);
  });

  it('waits for the end of the run after a fault, or if the event was not handed over in time', () => {
    const broken = [fault(0, 2, 'card-1')];
    expect(saidOf(countsAreTrue, [told, counted([2, 3], 0)], broken)).toEqual([]);
    expect(saidOf(countsAreTrue, [put([0, 400], 'a', 'b', 200), counted([500, 501], 0)])).toEqual([]);
    expect(saidOf(countsAreTrue, [told, counted([50_000, 50_001], 0, -1)], broken)).toHaveLength(1);
  });
});
