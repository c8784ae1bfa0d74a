import { describe, expect, it } from 'vitest';
import { card, created, readCard, saidOf, wrote } from '../../test/histories.ts';
import { everyStepWasAsked, writesWhatItSays } from './contents.ts';

const first = card('a', 1, 'PAY-1');
const edit = { title: 'new', priority: 'urgent' };
const edited = card('a', 2, 'PAY-1', edit);
const both = { ...edit, workstream_id: 'OPS' };
const moved = card('a', 3, 'OPS-1', edit);

describe('a write changes the requested fields, and no others', () => {
  it('passes an edit, a transfer, both, an archive and a move', () => {
    const saidBy = (operation: string, one: typeof first, body?: unknown) =>
      saidOf(writesWhatItSays, [created([0, 1], first), wrote(operation, [2, 3], 1, one, { body })]);
    expect(saidBy('patchCard', edited, edit)).toEqual([]);
    expect(saidBy('transferCard', card('a', 2, 'OPS-1'), { workstream_id: 'OPS' })).toEqual([]);
    expect(saidBy('patchCard', moved, both)).toEqual([]);
    expect(saidBy('archiveCard', card('a', 2, 'PAY-1', { archived: true }))).toEqual([]);
    expect(saidBy('moveCard', card('a', 2, 'PAY-1', { rest: 'another column' }))).toEqual([]);
  });

  it.each([
    ['an edit that is not there', 'patchCard', first, edit],
    [
      'a transfer without a new identifier',
      'transferCard',
      card('a', 2, 'PAY-1', { workstream: 'OPS' }),
      { workstream_id: 'OPS' },
    ],
    ['half of both', 'patchCard', card('a', 3, 'OPS-1'), both],
    ['a field that was lost', 'archiveCard', card('a', 2, 'PAY-1', { archived: true, title: 'other' }), undefined],
    ['an assignee that was lost', 'patchCard', { ...edited, rest: 'less' }, edit],
  ])('catches %s', (_, operation, one, body) => {
    const told = [created([0, 1], first), wrote(operation, [2, 3], 1, one, { body })];
    expect(saidOf(writesWhatItSays, told).length).toBeGreaterThan(0);
  });
});

describe('a transfer with an edit applies fully or not at all', () => {
  const lost = wrote('patchCard', [0, 1], 1, undefined, { body: both });
  const saidBy = (...seen: (typeof first)[]) =>
    saidOf(everyStepWasAsked, [lost, ...[first, ...seen].map((one) => readCard([2, 3], one))]);

  it('passes where it never happened, and where both are there', () => {
    expect(saidBy()).toEqual([]);
    expect(saidBy(moved)).toEqual([]);
  });

  it('passes a step that another lost write explains', () => {
    const transfer = wrote('transferCard', [0, 1], 1, undefined, { key: 'k', body: { workstream_id: 'OPS' } });
    const told = [lost, transfer, readCard([2, 3], first), readCard([2, 3], card('a', 2, 'OPS-1'))];
    expect(saidOf(everyStepWasAsked, told)).toEqual([]);
  });

  it.each([
    ['the transfer', card('a', 2, 'OPS-1')],
    ['the edit', edited],
  ])('catches %s alone', (_, half) => {
    expect(saidBy(half)).toHaveLength(1);
  });
});
