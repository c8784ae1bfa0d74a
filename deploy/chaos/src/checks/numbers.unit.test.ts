import { describe, expect, it } from 'vitest';
import { card, created, saidOf, type Told, wrote } from '../../test/histories.ts';
import { dense, inRealTime, noneAfterArchive } from './numbers.ts';

const make = (at: [number, number], id: string, identifier: string) => created(at, card(id, 1, identifier));
const lostCreate = (at: [number, number], id: string): Told => {
  const { status: _, ...told } = make(at, id, 'PAY-0');
  return told;
};

describe('the order of numbers respects real time', () => {
  it('passes creates that crossed, in any order', () => {
    expect(saidOf(inRealTime, [make([0, 9], 'a', 'PAY-2'), make([5, 6], 'b', 'PAY-1')])).toEqual([]);
  });

  it('passes an answer that came only when its request was repeated', () => {
    const repeated = { ...make([8, 9], 'a', 'PAY-1'), replayed: true };
    expect(saidOf(inRealTime, [lostCreate([0, 1], 'a'), make([4, 5], 'b', 'PAY-2'), repeated])).toEqual([]);
  });

  it('passes a transfer to the own workstream, which gives no number', () => {
    const stays = wrote('transferCard', [8, 9], 1, card('a', 1, 'PAY-1'), { key: 'k' });
    expect(saidOf(inRealTime, [make([0, 1], 'a', 'PAY-1'), make([2, 3], 'b', 'PAY-2'), stays])).toEqual([]);
  });

  it.each([
    ['create', make([2, 3], 'b', 'PAY-1')],
    ['transfer', wrote('transferCard', [2, 3], 4, card('b', 5, 'PAY-1'), { key: 'k' })],
    ['edit with transfer', wrote('patchCard', [2, 3], 4, card('b', 6, 'PAY-1'), { body: { workstream_id: 'PAY' } })],
  ])('catches a %s that got a smaller number than one answered before it began', (_, later) => {
    expect(saidOf(inRealTime, [make([0, 1], 'a', 'PAY-2'), later])).toEqual([
      'PAY-1 was requested after PAY-2 had been issued',
    ]);
  });
});

describe('no number is issued after an acknowledged archive', () => {
  const archive = (at: [number, number], status?: number): Told => {
    const told = { operation: 'archiveWorkstream', path: '/workstreams/PAY/archive', ifMatch: 1, key: 'x', at };
    return status === undefined ? told : { ...told, status };
  };

  it('passes numbers that were requested before the answer, and archives that were refused or lost', () => {
    expect(saidOf(noneAfterArchive, [archive([0, 5], 200), make([4, 9], 'a', 'PAY-1')])).toEqual([]);
    expect(saidOf(noneAfterArchive, [archive([0, 1], 412), make([4, 9], 'a', 'PAY-1')])).toEqual([]);
    expect(saidOf(noneAfterArchive, [archive([0, 1]), make([4, 9], 'a', 'PAY-1')])).toEqual([]);
  });

  it('catches a number that was requested afterwards', () => {
    expect(saidOf(noneAfterArchive, [archive([0, 1], 200), make([2, 3], 'a', 'PAY-1')])).toHaveLength(1);
  });
});

describe('the numbers of a workstream have no gap', () => {
  it('passes a number that a lost write may have taken', () => {
    expect(saidOf(dense, [make([0, 1], 'a', 'PAY-1'), lostCreate([0, 1], 'b'), make([2, 3], 'c', 'PAY-3')])).toEqual(
      [],
    );
  });

  it('catches a number that nobody has', () => {
    const told = [make([0, 1], 'a', 'PAY-1'), make([2, 3], 'c', 'PAY-3')];
    expect(saidOf(dense, told)).toEqual([
      'workspace w: 1 numbers are missing, such as PAY-2, and 0 writes have an unknown outcome',
    ]);
  });
});
