import { describe, expect, it } from 'vitest';
import { card, readCard, saidOf, type Told } from '../../test/histories.ts';
import { statesStay } from './desired-states.ts';

const assign = (operation: string, at: [number, number], status?: number): Told => {
  const told = { operation, path: '/cards/a/assignees/u', at };
  return status === undefined ? told : { ...told, status };
};
const put = (at: [number, number], status?: number) => assign('putCardAssignee', at, status);
const removed = (at: [number, number], status?: number) => assign('deleteCardAssignee', at, status);
const read = (at: [number, number], ...assignees: string[]) =>
  readCard(at, card('a', 1, 'PAY-1', { assignees, labels: [] }));

describe('assignees and labels are as they were last set', () => {
  it('passes the last state, and both states if a write crossed the read or has an unknown outcome', () => {
    expect(saidOf(statesStay, [put([0, 1], 200), read([2, 3], 'u'), removed([4, 5], 204), read([6, 7])])).toEqual([]);
    expect(saidOf(statesStay, [put([0, 9], 200), read([2, 3], 'u'), read([2, 3])])).toEqual([]);
    expect(saidOf(statesStay, [put([0, 1], 200), removed([2, 3]), read([8, 9], 'u'), read([8, 9])])).toEqual([]);
  });

  it('catches one that is missing, one that came back, and one that no request set', () => {
    expect(saidOf(statesStay, [put([0, 1], 200), read([2, 3])])).toEqual(['u is not among the assignees of card a']);
    const back = [put([0, 1], 200), removed([2, 3], 204), read([4, 5], 'u')];
    expect(saidOf(statesStay, back)).toEqual(['u is still among the assignees of card a']);
    expect(saidOf(statesStay, [put([0, 1], 409), read([2, 3], 'u')])).toHaveLength(1);
  });
});
