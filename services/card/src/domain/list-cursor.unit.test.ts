import { expect, it } from 'vitest';
import { positionOf } from './list-cursor.ts';

const then = { id: 'column', position: 2, version: 3 };

it('follows a thing to the position that a rebalancing gave it', () => {
  expect(positionOf(then, { ...then, position: 20 })).toBe(20);
});

it('goes on from where a thing stood that was written since, for it may have been moved', () => {
  expect(positionOf(then, { ...then, position: 90, version: 4 })).toBe(2);
});

it('goes on from where a thing stood that has left its list', () => {
  expect(positionOf(then, undefined)).toBe(2);
});
