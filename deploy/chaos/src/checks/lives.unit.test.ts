import { describe, expect, it } from 'vitest';
import { card, created, deletedCard, notFound, readCard, saidOf, type Told, wrote } from '../../test/histories.ts';
import { archivedForEver, deletedForEver, nothingIsLost } from './lives.ts';

const a = card('a', 1, 'PAY-1');

describe('no acknowledged write is lost', () => {
  it('passes a card whose deletion has an unknown outcome', () => {
    expect(saidOf(nothingIsLost, [created([0, 1], a), deletedCard([2, 3], 'a'), notFound([9, 10], 'a')])).toEqual([]);
  });

  it('passes a comment that went with its card', () => {
    const comment = { type: 'comment', id: 'm', version: 1, digest: 'm1' };
    const told: Told[] = [
      {
        operation: 'createComment',
        path: '/cards/a/comments',
        key: 'c',
        at: [0, 1],
        status: 201,
        seen: { resource: comment },
      },
      { operation: 'getComment', path: '/comments/m', at: [6, 7], status: 404 },
    ];
    expect(saidOf(nothingIsLost, [...told, deletedCard([2, 3], 'a', 204)])).toEqual([]);
    expect(saidOf(nothingIsLost, told)).toEqual(['getComment does not find m, which nobody deleted']);
  });

  it('catches a card that is gone, and one whose deletion was refused', () => {
    const said = ['getCard does not find a, which nobody deleted'];
    expect(saidOf(nothingIsLost, [created([0, 1], a), notFound([2, 3], 'a')])).toEqual(said);
    expect(saidOf(nothingIsLost, [created([0, 1], a), deletedCard([2, 3], 'a', 412), notFound([4, 5], 'a')])).toEqual(
      said,
    );
  });
});

describe('a deleted resource stays deleted', () => {
  it('passes answers that crossed the deletion, and replays', () => {
    const replay = wrote('moveCard', [8, 9], 1, a, { key: 'k', replayed: true, path: '/columns/c' });
    expect(saidOf(deletedForEver, [deletedCard([1, 5], 'a', 204), readCard([4, 9], a), replay])).toEqual([]);
  });

  it.each([
    ['a read', readCard([6, 7], a)],
    ['a write', wrote('patchCard', [6, 7], 1, card('a', 2, 'PAY-1'))],
    [
      'a list',
      { operation: 'listCards', path: '/boards/b/cards', at: [6, 7], status: 200, seen: { cards: [a] } } as Told,
    ],
  ])('catches %s afterwards', (_, later) => {
    expect(saidOf(deletedForEver, [deletedCard([1, 5], 'a', 204), later])).toHaveLength(1);
  });
});

describe('an archived workstream stays archived', () => {
  const seen = (at: [number, number], version: number, archived: boolean): Told => {
    const resource = { type: 'workstream', id: 'PAY', version, digest: `${version}`, archived };
    return { operation: 'getWorkstream', path: '/workstreams/PAY', at, status: 200, seen: { resource } };
  };

  it('passes one that is archived, and catches one that comes back', () => {
    expect(saidOf(archivedForEver, [seen([0, 1], 1, false), seen([2, 3], 2, true), seen([2, 9], 1, false)])).toEqual(
      [],
    );
    expect(saidOf(archivedForEver, [seen([2, 3], 2, true), seen([4, 5], 3, false)])).toHaveLength(1);
  });
});
