import { expect, it } from 'vitest';
import { card, created, fault, historyOf, lookedUp, notFound, readCard, saidOf, wrote } from '../test/histories.ts';
import { documented } from './checks/answers.ts';
import { oneCard } from './checks/identifiers.ts';
import { checks } from './checks/index.ts';
import { dense } from './checks/numbers.ts';
import type { InjectedFault } from './history.ts';
import { namesLost } from './rollbacks.ts';

const rollback: InjectedFault = { ...fault(10, 20, 'postgres'), kind: 'volume-set-back', loses: true };
const make = (at: [number, number], id: string, number: number) => created(at, card(id, 1, `PAY-${number}`));

/** The rules that a history breaks, without the rule about answers, which are incomplete here. */
const broken = (...args: Parameters<typeof historyOf>) =>
  checks
    .filter((check) => check !== documented && check.check(historyOf(...args)).violations.length > 0)
    .map(({ rule }) => rule);

const edited = card('a', 2, 'PAY-1', { title: 'a second', digest: 'a@2, lost' });
const again = card('a', 2, 'PAY-1', { title: 'a third' });
const told = [
  make([0, 1], 'a', 1),
  make([11, 12], 'b', 2),
  readCard([12, 13], card('b', 1, 'PAY-2')),
  wrote('patchCard', [14, 15], 1, edited, { key: 'k1', body: { title: 'a second' } }),
  // Everything was rolled back to what it was at 10.
  notFound([21, 22], 'b'),
  lookedUp([21, 22], 'PAY-2'),
  readCard([22, 23], card('a', 1, 'PAY-1')),
  wrote('patchCard', [24, 25], 1, again, { key: 'k2', body: { title: 'a third' } }),
  make([26, 27], 'c', 9),
];

it('treats a write that was acknowledged while it could be lost as open, and lets numbers skip', () => {
  expect(broken(told, [rollback])).toEqual([]);
});

it('passes 404 for a lost workstream until a workstream with its prefix, and so its id, is created again', () => {
  const workstream = { type: 'workstream', id: 'w', version: 1, digest: 'w@1' };
  const made = (at: [number, number]) => ({
    operation: 'createWorkstream',
    path: '/workstreams',
    key: `made ${at}`,
    body: { prefix: 'W' },
    at,
    status: 201,
    seen: { resource: workstream },
  });
  const moved = (at: [number, number]) =>
    wrote('transferCard', at, 1, undefined, {
      path: '/cards/a',
      key: `k ${at}`,
      body: { workstream_id: 'w' },
      status: 404,
    });
  const all = [make([0, 1], 'a', 1), made([11, 12]), moved([21, 22]), made([23, 24])];
  expect(broken(all, [rollback])).toEqual([]);
  expect(broken([...all, moved([25, 26])], [rollback])).toEqual(['no acknowledged write is lost']);
});

it('treats nothing as lost without a rollback', () => {
  expect(broken(told, [fault(10, 20, 'postgres')])).toEqual(
    expect.arrayContaining(['no acknowledged write is lost', 'the numbers of a workstream have no gap']),
  );
});

it('catches an identifier of two cards, also if the first of them was lost', () => {
  expect(saidOf(oneCard, [make([11, 12], 'b', 2), make([21, 22], 'c', 2)], [rollback])).toEqual([
    'PAY-2 names card b and card c',
  ]);
});

it('still catches a card that was acknowledged before a rollback and is not found after it', () => {
  expect(broken([make([0, 1], 'a', 1), notFound([21, 22], 'a')], [rollback])).toEqual([
    'no acknowledged write is lost',
  ]);
});

it('lets each workstream skip no more than a grant for each rollback', () => {
  const skipping = [make([0, 1], 'a', 1), make([21, 22], 'c', 1_002), make([23, 24], 'd', 1_004)];
  expect(saidOf(dense, skipping.slice(0, 2), [rollback])).toEqual([]);
  expect(saidOf(dense, skipping, [rollback])).toEqual([
    'workspace w: 1 numbers are missing, such as PAY-2, and 0 writes have an unknown outcome',
  ]);
});

it('recognizes a difference that names a lost id, or an identifier that was never answered at another time', () => {
  const isLost = namesLost(historyOf(told, [rollback]));
  const says = (identifier: string) => `card w/a: identifier says {"identifier": "${identifier}"}, card {}`;
  expect([says('PAY-2'), says('PAY-17'), 'card w/b: missing'].map(isLost)).toEqual([true, true, true]);
  expect([says('PAY-1'), says('PAY-9'), 'card w/a: missing'].map(isLost)).toEqual([false, false, false]);
  expect(namesLost(historyOf(told, []))(says('PAY-17'))).toBe(false);
});
