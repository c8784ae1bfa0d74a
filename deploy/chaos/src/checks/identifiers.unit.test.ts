import { describe, expect, it } from 'vitest';
import { card, created, deletedCard, listedHistory, lookedUp, readCard, saidOf, wrote } from '../../test/histories.ts';
import { historyGrows, oneCard, oneCurrent, resolves } from './identifiers.ts';

const a1 = card('a', 1, 'PAY-1');
const a2 = card('a', 2, 'OPS-1');

describe('an identifier names one card', () => {
  it('passes a card that takes its identifiers along', () => {
    const told = [created([0, 1], a1), wrote('transferCard', [2, 3], 1, a2), lookedUp([4, 5], 'pay-1', a2)];
    expect(saidOf(oneCard, told)).toEqual([]);
  });

  it('passes the same identifier in another workspace', () => {
    const other = { ...created([0, 1], card('b', 1, 'PAY-1')), workspace: 'v' };
    expect(saidOf(oneCard, [created([0, 1], a1), other])).toEqual([]);
  });

  it.each([
    ['in a read', readCard([2, 3], card('b', 7, 'PAY-1'))],
    ['in a look-up of an alias', lookedUp([2, 3], 'pay-1', card('b', 7, 'OPS-9'))],
    ['in a history', listedHistory([2, 3], 'b', 'PAY-1', 'OPS-9')],
  ])('catches a second card %s', (_, second) => {
    expect(saidOf(oneCard, [created([0, 1], a1), second])).toEqual(['PAY-1 names card a and card b']);
  });
});

describe('an identifier resolves for ever', () => {
  it('passes one that is not found before it was answered, or once its deletion had begun', () => {
    const early = lookedUp([0, 2], 'PAY-1');
    expect(saidOf(resolves, [early, created([1, 3], a1)])).toEqual([]);
    const lost = deletedCard([4, 5], 'a');
    expect(saidOf(resolves, [created([0, 1], a1), lost, lookedUp([9, 10], 'PAY-1')])).toEqual([]);
  });

  it.each([
    ['that nobody deleted', []],
    ['whose deletion was refused', [deletedCard([2, 3], 'a', 412)]],
    ['whose deletion began later', [deletedCard([8, 9], 'a', 204)]],
  ])('catches one %s', (_, deletions) => {
    const told = [created([0, 1], a1), ...deletions, lookedUp([4, 5], 'pay-1')];
    expect(saidOf(resolves, told)).toEqual(['PAY-1 of card a, which nobody deleted, is not found']);
  });
});

describe('a card has one current identifier', () => {
  it('passes histories and look-ups that agree with themselves', () => {
    expect(saidOf(oneCurrent, [listedHistory([0, 1], 'a', 'PAY-1', 'OPS-1'), lookedUp([0, 1], 'pay-1', a2)])).toEqual(
      [],
    );
  });

  it('catches two current ones, a current one that is not the last, and one that was superseded', () => {
    const entry = (identifier: string, current: boolean, superseded: boolean) => ({ identifier, current, superseded });
    const saidBy = (...identifiers: ReturnType<typeof entry>[]) =>
      saidOf(oneCurrent, [{ ...listedHistory([0, 1], 'a'), seen: { identifiers, more: false } }])[0];
    expect(saidBy(entry('A-1', true, false), entry('B-1', true, false))).toContain('2 current identifiers');
    expect(saidBy(entry('A-1', true, false), entry('B-1', false, true))).toContain('not the last');
    expect(saidBy(entry('A-1', false, false), entry('B-1', true, false))).toContain('never superseded');
  });

  it('catches a look-up that names another current identifier than its card', () => {
    const told = lookedUp([0, 1], 'pay-1', a2);
    const lookup = { resolved: 'pay-1', alias: true, current: 'PAY-1', dependencies: 0, dependents: 0 };
    expect(saidOf(oneCurrent, [{ ...told, seen: { card: a2, lookup } }])).toHaveLength(1);
  });
});

describe("a card's history only grows", () => {
  it('passes answers that cross', () => {
    const told = [listedHistory([0, 9], 'a', 'PAY-1'), listedHistory([1, 2], 'a', 'PAY-1', 'OPS-1')];
    expect(saidOf(historyGrows, told)).toEqual([]);
  });

  it('catches one that lost its end, and one that has another beginning', () => {
    const long = listedHistory([0, 1], 'a', 'PAY-1', 'OPS-1');
    expect(saidOf(historyGrows, [long, listedHistory([2, 3], 'a', 'PAY-1')])).toHaveLength(1);
    expect(saidOf(historyGrows, [long, listedHistory([0, 3], 'a', 'OPS-1')])).toHaveLength(1);
  });
});
