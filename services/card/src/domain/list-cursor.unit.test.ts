import { expect, it } from 'vitest';
import { resumeAfter } from './list-cursor.ts';

const cursor = {
  column: { id: 'column', position: 2, version: 3 },
  card: { id: 'card', position: 0.5, version: 7 },
};

it('follows a card to the position that a rebalancing gave it', () => {
  const now = { column: { id: 'column', position: 1, version: 3 }, card: { id: 'card', position: 20, version: 7 } };
  expect(resumeAfter(cursor, now)).toEqual({ columnId: 'column', columnPosition: 1, cardPosition: 20 });
});

it('goes on from where a card stood that was written since, for it may have been moved', () => {
  const now = { column: { id: 'column', position: 9, version: 4 }, card: { id: 'card', position: 90, version: 8 } };
  expect(resumeAfter(cursor, now)).toEqual({ columnId: 'column', columnPosition: 2, cardPosition: 0.5 });
});

it('goes on from where a card stood that has left its column', () => {
  const now = { column: undefined, card: undefined };
  expect(resumeAfter(cursor, now)).toEqual({ columnId: 'column', columnPosition: 2, cardPosition: 0.5 });
});
