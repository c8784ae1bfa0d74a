import { expect, test } from 'vitest';
import { checkTakesCards, filedUnder } from './creation.ts';

const column = { archived_at: null, board_archived_at: null, default_workstream_id: null };
const then = new Date('2026-01-01T00:00:00.000Z');

test('an archived column takes no card, nor does one on an archived board', () => {
  expect(() => checkTakesCards(column)).not.toThrow();
  expect(() => checkTakesCards({ ...column, archived_at: then })).toThrow('The column is archived');
  expect(() => checkTakesCards({ ...column, board_archived_at: then })).toThrow('The board is archived');
});

test('a card is filed where its writer says, else under the board, else under the workspace', () => {
  const withDefault = { ...column, default_workstream_id: 'board' };
  expect(filedUnder('named', withDefault)).toEqual({ workstream_id: 'named', fall_back: false });
  expect(filedUnder(undefined, withDefault)).toEqual({ workstream_id: 'board', fall_back: true });
  expect(filedUnder(undefined, column)).toEqual({ workstream_id: null, fall_back: true });
});
