import { expect, test } from 'vitest';
import { checkTakesCards } from './rules.ts';

const column = { archived_at: null, board_archived_at: null };
const then = new Date('2026-01-01T00:00:00.000Z');

test('an archived column takes no card, nor does one on an archived board', () => {
  expect(() => checkTakesCards(column)).not.toThrow();
  expect(() => checkTakesCards({ ...column, archived_at: then })).toThrow('The column is archived');
  expect(() => checkTakesCards({ ...column, board_archived_at: then })).toThrow('The board is archived');
});
