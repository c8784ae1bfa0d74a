import { describe, expect, it } from 'vitest';
import type { EventType } from './event-types.ts';
import { boardsOf, isWanted, shownTo } from './event-visibility.ts';

const [here, there] = ['here', 'there'];
const text = JSON.stringify({ seq: 7, previous: { board_id: there, column_id: 'c', title: 'Pay' }, data: {} });
const event = (type: EventType, board_id: string | null, other_board_id: string | null = null) => ({
  type,
  card_id: 'card',
  board_id,
  other_board_id,
  text,
});
const seeing =
  (...boards: string[]) =>
  (board: string) =>
    boards.includes(board);

describe('who sees an event', () => {
  it.each([
    ['of the workspace', event('label.created', null), seeing(), text],
    ['of a board that he sees', event('card.updated', here), seeing(here), text],
    ['of a board that he does not see', event('card.updated', here), seeing(there), undefined],
    ['of two boards that he sees', event('dependency.added', here, there), seeing(here, there), text],
    ['of two boards of which he sees one', event('dependency.added', here, there), seeing(here), undefined],
    ['of a card that came from a board that he sees', event('card.moved', here, there), seeing(here, there), text],
    ['of a card that went to a board that he does not see', event('card.moved', here, there), seeing(there), undefined],
  ])('%s', (_, given, sees, shown) => expect(shownTo(given, sees)).toBe(shown));

  it('is not told of a board that he does not see, from where a card came', () => {
    const shown = shownTo(event('card.moved', here, there), seeing(here)) ?? '';
    expect(JSON.parse(shown)).toEqual({ seq: 7, previous: { title: 'Pay' }, data: {} });
  });

  it('depends on its boards', () => {
    expect(boardsOf(event('label.created', null))).toEqual([]);
    expect(boardsOf(event('card.moved', here, there))).toEqual([here, there]);
  });
});

describe('a follower gets what he asks for', () => {
  const all = seeing(here, there);
  it.each([
    ['everything', {}, event('card.updated', here), all, true],
    ['a type', { types: 'card.updated' as const }, event('card.updated', here), all, true],
    ['other types', { types: ['card.moved', 'board.*'] }, event('card.updated', here), all, false],
    ['a family of types', { types: ['board.*', 'card.*'] }, event('card.updated', here), all, true],
    ['a card', { card_id: 'card' }, event('comment.created', here), all, true],
    ['another card', { card_id: 'other' }, event('comment.created', here), all, false],
    ['a board', { board_id: here }, event('card.updated', here), all, true],
    ['another board', { board_id: [there] }, event('card.updated', here), all, false],
    ['another board, not what is of none', { board_id: [there] }, event('label.created', null), all, false],
    ['the board that a card left', { board_id: there }, event('card.moved', here, there), all, true],
    [
      'the board that a card left and he does not see',
      { board_id: there },
      event('card.moved', here, there),
      seeing(here),
      false,
    ],
    ['the other board of a dependency', { board_id: there }, event('dependency.added', here, there), all, false],
    [
      'anything, when a database fell back',
      { types: 'card.moved' as const, board_id: there, card_id: 'other' },
      event('feed.reset', null),
      all,
      true,
    ],
  ])('%s', (_, wanted, given, sees, is) => expect(isWanted(given, wanted, sees)).toBe(is));
});
