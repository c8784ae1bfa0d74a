import { describe, expect, it } from 'vitest';
import { card, created, deletedCard, readCard, saidOf, type Told, wrote } from '../../test/histories.ts';
import { equalReplays, refusalsChangeNothing, repetitionsAreAnswered } from './keys.ts';

const a = card('a', 1, 'PAY-1');
const sent = (at: [number, number], other: Partial<Told> = {}) =>
  created(at, a, { key: 'k', seen: { card: a, whole: 'body' }, etag: 1, ...other });
const refused = (at: [number, number], status = 409) => ({ ...sent(at), status, seen: {} });

describe('a key has one effect and one answer', () => {
  it('passes equal answers, and a refusal of another request', () => {
    const reused = { ...refused([4, 5], 422), body: { title: 'other' } };
    expect(saidOf(equalReplays, [sent([0, 1]), sent([2, 3], { replayed: true }), reused])).toEqual([]);
  });

  it.each<[string, Partial<Told>]>([
    ['body', { seen: { card: a, whole: 'other' } }],
    ['ETag', { etag: 2 }],
    ['status', { status: 200 }],
  ])('catches another %s', (_, other) => {
    expect(saidOf(equalReplays, [sent([0, 1]), sent([0, 2], other)])).toHaveLength(1);
  });

  it('catches a key with two effects', () => {
    expect(saidOf(equalReplays, [sent([0, 1]), sent([2, 3], { body: { title: 'other' } })])).toHaveLength(1);
  });
});

describe('an acknowledged request is acknowledged again', () => {
  it('passes a replay, a failure, and 404 once something was deleted', () => {
    expect(
      saidOf(repetitionsAreAnswered, [sent([0, 1]), sent([2, 3], { replayed: true }), refused([4, 5], 503)]),
    ).toEqual([]);
    const transfer = (at: [number, number], status: number) => wrote('transferCard', at, 1, a, { key: 't', status });
    expect(
      saidOf(repetitionsAreAnswered, [transfer([0, 1], 200), deletedCard([2, 3], 'a', 204), transfer([4, 5], 404)]),
    ).toEqual([]);
  });

  it.each([409, 412, 404])('catches %d', (status) => {
    expect(saidOf(repetitionsAreAnswered, [sent([0, 1]), refused([2, 3], status)])).toHaveLength(1);
  });

  it('catches a repetition that is not marked as a replay', () => {
    expect(saidOf(repetitionsAreAnswered, [sent([0, 1]), sent([2, 3])])).toHaveLength(1);
  });
});

describe('a refused request changes nothing, and a key creates one card', () => {
  it('passes what a lost request wrote, and one that was sent again and refused', () => {
    const patch = { operation: 'patchCard', ifMatch: 1, body: { title: 'x' } };
    const told: Told[] = [
      { ...patch, at: [0, 1] },
      { ...patch, at: [2, 3], status: 412 },
    ];
    expect(saidOf(refusalsChangeNothing, [...told, readCard([4, 5], card('a', 2, 'PAY-1', { title: 'x' }))])).toEqual(
      [],
    );
  });

  it('catches what only a refused request wrote', () => {
    expect(saidOf(refusalsChangeNothing, [refused([0, 1]), readCard([2, 3], a)])).toEqual([
      'card a has the title a first, of a request that was refused',
    ]);
  });

  it('catches two cards of one key', () => {
    expect(
      saidOf(refusalsChangeNothing, [sent([0, 1]), readCard([2, 3], { ...card('b', 1, 'PAY-2'), title: 'a first' })]),
    ).toEqual(['the title a first is on card a and on card b']);
  });
});
