import { describe, expect, it } from 'vitest';
import { card, created, readCard, saidOf, type Told, wrote } from '../../test/histories.ts';
import { neverBack, oneRepresentation, oneWriteEach, refusedForAReason, rises } from './versions.ts';

const a = (version: number, other = {}) => card('a', version, 'PAY-1', other);
const refused = (at: [number, number], ifMatch: number, currentVersion: number): Told => {
  const seen = { error: { code: 'precondition_failed', currentVersion } };
  return { operation: 'patchCard', path: '/cards/a', ifMatch, at, status: 412, seen };
};

describe('a version has one representation', () => {
  it('passes the same one from everywhere', () => {
    expect(saidOf(oneRepresentation, [created([0, 1], a(1)), readCard([2, 3], a(1)), refused([4, 5], 9, 1)])).toEqual(
      [],
    );
  });

  it('catches two, each once', () => {
    const other = readCard([2, 3], a(1, { digest: 'other' }));
    expect(saidOf(oneRepresentation, [created([0, 1], a(1)), other, other])).toEqual([
      'card a has two representations in version 1',
    ]);
  });
});

describe('a later read sees no earlier version', () => {
  it('passes answers that crossed', () => {
    expect(saidOf(neverBack, [readCard([0, 9], a(1)), wrote('moveCard', [1, 2], 1, a(2))])).toEqual([]);
  });

  it('passes the replay of an old answer', () => {
    const first = wrote('moveCard', [0, 1], 1, a(2), { key: 'k' });
    const replay = wrote('moveCard', [5, 6], 1, a(2), { key: 'k', replayed: true });
    expect(saidOf(neverBack, [first, readCard([2, 3], a(3)), replay])).toEqual([]);
  });

  it.each([
    ['read', readCard([4, 5], a(1))],
    ['refusal', refused([4, 5], 5, 1)],
    [
      'list',
      { operation: 'listCards', path: '/boards/b/cards', at: [4, 5], status: 200, seen: { cards: [a(1)] } } as Told,
    ],
  ])('catches a %s of an overwritten version', (_, stale) => {
    expect(saidOf(neverBack, [wrote('moveCard', [0, 1], 1, a(2), { key: 'k' }), stale])).toEqual([
      'card a was in version 1 after it had been in version 2',
    ]);
  });
});

describe('a version is overwritten once', () => {
  it('passes writes one after the other, equal keys, and repeated edits that were refused', () => {
    const move = (at: [number, number], key: string, from: number) => wrote('moveCard', at, from, a(from + 1), { key });
    expect(
      saidOf(oneWriteEach, [move([0, 9], 'k', 1), move([0, 9], 'k', 1), move([1, 8], 'm', 2), refused([1, 2], 1, 2)]),
    ).toEqual([]);
  });

  it('catches two acknowledged writes of one version', () => {
    const told = [wrote('moveCard', [0, 9], 1, a(2), { key: 'k' }), wrote('patchCard', [0, 9], 1, a(2))];
    expect(saidOf(oneWriteEach, told)).toEqual(['card a had version 1 overwritten by two acknowledged writes']);
  });

  it('catches a write into the middle of a transfer with an edit', () => {
    const both = wrote('patchCard', [0, 9], 1, a(3), { body: { workstream_id: 'OPS' } });
    expect(saidOf(oneWriteEach, [both, wrote('patchCard', [0, 9], 2, a(3))])).toHaveLength(1);
  });

  it('catches a write of a version that was known to be overwritten', () => {
    const told = [readCard([0, 1], a(5)), wrote('archiveCard', [2, 3], 4, a(6), { key: 'k' })];
    expect(saidOf(oneWriteEach, told)).toEqual([
      'card a accepted a write of version 4 after it had been seen in version 5',
    ]);
  });
});

describe('how far a write raises the version', () => {
  it('passes by one, by two with a transfer, and not at all', () => {
    const both = wrote('patchCard', [0, 1], 1, a(3), { body: { title: 'x', workstream_id: 'OPS' } });
    expect(saidOf(rises, [both, wrote('moveCard', [0, 1], 3, a(3)), wrote('patchCard', [0, 1], 3, a(4))])).toEqual([]);
  });

  it('catches two without a transfer, and an edit that raised nothing', () => {
    expect(saidOf(rises, [wrote('patchCard', [0, 1], 1, a(3))])).toHaveLength(1);
    expect(saidOf(rises, [wrote('patchCard', [0, 1], 3, a(3))])).toHaveLength(1);
  });
});

describe('412', () => {
  it('passes for a version that is over, and is caught for the current one', () => {
    expect(saidOf(refusedForAReason, [refused([0, 1], 1, 2)])).toEqual([]);
    expect(saidOf(refusedForAReason, [refused([0, 1], 2, 2)])).toEqual([
      'card a refused a write of its current version 2'.replace('card', 'any'),
    ]);
  });
});
