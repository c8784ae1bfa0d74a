import type { CardinalError, MoveCardBody } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { checkMove, checkTakesCards, type MoveContext, placeOf } from './rules.ts';

const archived = new Date();
const scene: MoveContext = {
  card: { id: 'card', board_id: 'board', archived_at: null },
  column: { id: 'column', board_id: 'board', archived_at: null },
  board: undefined,
  anchorCard: { board_id: 'board', column_id: 'column' },
};
const far = { column: { id: 'column', board_id: 'far', archived_at: null }, board: { archived_at: null } };

const codeOf = (body: MoveCardBody, changed: Partial<MoveContext> = {}) => {
  try {
    checkMove(body, { ...scene, ...changed });
    return undefined;
  } catch (error) {
    return (error as CardinalError).code;
  }
};

describe('placeOf', () => {
  it('is the start by default', () => {
    expect(placeOf({ column_id: 'column' })).toBe('start');
  });

  it.each([
    [{ before_card_id: 'other' }, { before: 'other' }],
    [{ after_card_id: 'other' }, { after: 'other' }],
    [{ position: 'end' as const }, 'end'],
    [{ position: 0 }, 0],
  ])('reads %j', (body, place) => {
    expect(placeOf(body)).toEqual(place);
  });
});

describe('checkMove', () => {
  it('accepts a column, and another card of it as the anchor', () => {
    expect(codeOf({ column_id: 'column' }, { anchorCard: undefined })).toBeUndefined();
    expect(codeOf({ column_id: 'column', before_card_id: 'other' })).toBeUndefined();
    expect(codeOf({ after_card_id: 'other' })).toBeUndefined();
  });

  it('accepts a named column of another visible board, and a card of it as the anchor', () => {
    const anchorCard = { board_id: 'far', column_id: 'column' };
    expect(codeOf({ column_id: 'column' }, { ...far, anchorCard: undefined })).toBeUndefined();
    expect(codeOf({ column_id: 'column', before_card_id: 'other' }, { ...far, anchorCard })).toBeUndefined();
    expect(codeOf({ before_card_id: 'other' }, { ...far, anchorCard })).toBe('validation_error');
  });

  it.each<[string, MoveCardBody, Partial<MoveContext>]>([
    ['the card itself', { before_card_id: 'card' }, {}],
    ['an unknown card', { before_card_id: 'other' }, { anchorCard: undefined, column: undefined }],
    ['a card of another board', { after_card_id: 'other' }, { anchorCard: { board_id: 'far', column_id: 'column' } }],
    ['a card of another column', { after_card_id: 'other' }, { anchorCard: { board_id: 'board', column_id: 'far' } }],
    ['an unknown column', { column_id: 'column' }, { column: undefined }],
    ['a column of a hidden board', { column_id: 'column' }, { ...far, board: undefined }],
  ])('refuses %s with validation_error', (_what, body, changed) => {
    expect(codeOf(body, changed)).toBe('validation_error');
  });

  it.each<[string, Partial<MoveContext>]>([
    ['card', { card: { ...scene.card, archived_at: archived } }],
    ['column', { column: { id: 'column', board_id: 'board', archived_at: archived } }],
    ['board other than its own', { ...far, board: { archived_at: archived } }],
  ])('is in conflict with an archived %s', (_what, changed) => {
    expect(codeOf({ column_id: 'column' }, changed)).toBe('conflict');
  });

  it('reports an invalid field before an archived column', () => {
    const column = { id: 'column', board_id: 'board', archived_at: archived };
    expect(codeOf({ before_card_id: 'card' }, { column })).toBe('validation_error');
  });
});

it('an archived column and a column of an archived board take no card', () => {
  const column = { archived_at: null, board_archived_at: null };
  expect(() => checkTakesCards(column)).not.toThrow();
  expect(() => checkTakesCards({ ...column, archived_at: archived })).toThrow('The column is archived');
  expect(() => checkTakesCards({ ...column, board_archived_at: archived })).toThrow('The board is archived');
});
