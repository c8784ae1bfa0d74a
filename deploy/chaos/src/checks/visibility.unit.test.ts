import { describe, expect, it } from 'vitest';
import { card, created, saidOf, type Told } from '../../test/histories.ts';
import type { Following, ToldEvent } from '../history.ts';
import { strangersAreToldNothing } from './visibility.ts';

const see = (at: [number, number], visibility: string, status: number | undefined = 200): Told => ({
  operation: 'patchBoard',
  path: '/boards/b',
  ifMatch: at[0],
  body: { visibility },
  at,
  ...(status !== undefined && { status }),
});
const hears = (at: number, more: Partial<ToldEvent> = {}): Following[] => {
  const told = { seq: 1, id: 'e1', type: 'card.created', subject: 'a', version: 1, card: 'a', board: 'b', at, ...more };
  return [{ by: 'stream', workspace: 'w', isStranger: true, after: 0, events: [told] }];
};

describe('a stranger receives nothing of a private board', () => {
  const closed = see([0, 1], 'private');
  const made = created([2, 3], card('a', 1, 'PAY-1'));

  it('passes changes before it was closed, events once it is opened, and unknown changes', () => {
    expect(saidOf(strangersAreToldNothing, [created([0, 3], card('a', 1, 'PAY-1')), closed], [], hears(4))).toEqual([]);
    expect(saidOf(strangersAreToldNothing, [closed, made, see([4, 6], 'workspace')], [], hears(5))).toEqual([]);
    const unknown: Told = { operation: 'patchBoard', path: '/boards/b', body: { visibility: 'private' }, at: [0, 1] };
    expect(saidOf(strangersAreToldNothing, [unknown, made], [], hears(4))).toEqual([]);
    expect(saidOf(strangersAreToldNothing, [closed, made], [], hears(4, { board: 'other' }))).toEqual([]);
  });

  it('passes an event of a version that was lost in a rollback and made again', () => {
    const again = created([5, 6], card('a', 1, 'PAY-1'));
    expect(saidOf(strangersAreToldNothing, [see([3, 4], 'private'), again], [], hears(2))).toEqual([]);
  });

  it('catches a change of a private board, and a text of one', () => {
    const [message] = saidOf(strangersAreToldNothing, [closed, made, see([9, 10], 'workspace')], [], hears(8));
    expect(message).toContain('which was done while board b was private');
    expect(saidOf(strangersAreToldNothing, [], [], hears(4, { secrets: ['hidden-1'] }))[0]).toContain('names hidden-1');
  });
});
