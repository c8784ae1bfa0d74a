import { describe, expect, it } from 'vitest';
import type { EventType } from './event-types.ts';
import { boardsOf, shownTo, type Wanted } from './event-visibility.ts';

const [here, there, me, somebody] = ['here', 'there', 'me', 'somebody'];
const event = (
  type: EventType,
  board_id: string | null,
  other_board_id: string | null = null,
  more: { previous?: object; subject?: string } = {},
) => {
  const { previous = { board_id: there, column_id: 'c', title: 'Pay' }, subject = 'card' } = more;
  const text = JSON.stringify({
    id: 'e',
    seq: 7,
    type,
    at: 'then',
    actor: { user_id: somebody },
    request_id: 'r',
    subject: { type: 'card', id: subject, version: 4 },
    card: { id: 'card', identifier: 'PAY-7' },
    board_id,
    changed: Object.keys(previous),
    previous,
    data: { title: 'Refunds' },
  });
  return { type, card_id: 'card', board_id, other_board_id, text };
};
type Given = ReturnType<typeof event>;
const seeing = (...boards: string[]) => ({ userId: me, sees: (board: string) => boards.includes(board) });

describe('the visibility of an event', () => {
  it.each<[string, Given, ReturnType<typeof seeing>, boolean]>([
    ['of the workspace', event('label.created', null), seeing(), true],
    ['of a board that the reader sees', event('card.updated', here), seeing(here), true],
    ['of a board that the reader does not see', event('card.updated', here), seeing(there), false],
    ['of two boards that the reader sees', event('dependency.added', here, there), seeing(here, there), true],
    ['of two boards of which the reader sees one', event('dependency.added', here, there), seeing(here), false],
    [
      'of a card that came from a board that the reader sees',
      event('card.moved', here, there),
      seeing(here, there),
      true,
    ],
  ])('%s', (_, given, reader, isShown) => expect(shownTo(given, reader)).toBe(isShown ? given.text : undefined));

  it('leaves out the origin of a moved card where the reader does not see it', () => {
    const shown = JSON.parse(shownTo(event('card.moved', here, there), seeing(here)) ?? '');
    expect(shown).toMatchObject({ board_id: here, previous: { title: 'Pay' }, data: { title: 'Refunds' } });
    expect(shown.previous).toEqual({ title: 'Pay' });
  });

  it('depends on its boards', () => {
    expect(boardsOf(event('label.created', null))).toEqual([]);
    expect(boardsOf(event('card.moved', here, there))).toEqual([here, there]);
  });
});

describe('an event that takes something out of sight', () => {
  const hidden = { previous: { visibility: 'workspace' }, subject: here };
  it.each<[string, Given, ReturnType<typeof seeing>, string]>([
    [
      'a card that goes to a board that the reader does not see',
      event('card.moved', here, there),
      seeing(there),
      there,
    ],
    ['a board that becomes private', event('board.updated', here, null, hidden), seeing(), here],
    ['the reader, taken from a private board', event('member.removed', here, null, { subject: me }), seeing(), here],
  ])('%s, is shown without anything new', (_, given, reader, board) => {
    const { subject, ...whole } = JSON.parse(given.text);
    expect(JSON.parse(shownTo(given, reader) ?? '')).toEqual({
      ...whole,
      subject: { ...subject, version: null },
      board_id: board,
      changed: [],
      previous: {},
      data: null,
    });
    expect(shownTo(given, reader, { board_id: board })).toBeDefined();
    expect(shownTo(given, reader, { board_id: 'another' })).toBeUndefined();
  });

  it.each<[string, Given, ReturnType<typeof seeing>, Wanted]>([
    ['where a card went, asked for by the board', event('card.moved', here, there), seeing(there), { board_id: here }],
    ['a card between boards of which the reader sees neither', event('card.moved', here, there), seeing(), {}],
    ['another edit of a board', event('board.updated', here, null, { previous: { name: 'B' } }), seeing(), {}],
    [
      'a board that is shown',
      event('board.updated', here, null, { previous: { visibility: 'private' } }),
      seeing(),
      {},
    ],
    ['somebody else, taken from a board', event('member.removed', here, null, { subject: somebody }), seeing(), {}],
    ['somebody who is added', event('member.added', here, null, { subject: me }), seeing(), {}],
  ])('is not %s', (_, given, reader, wanted) => expect(shownTo(given, reader, wanted)).toBeUndefined());
});

describe('a follower gets what its filter names', () => {
  const all = seeing(here, there);
  it.each<[string, Wanted, Given, ReturnType<typeof seeing>, boolean]>([
    ['everything', {}, event('card.updated', here), all, true],
    ['a type', { types: 'card.updated' }, event('card.updated', here), all, true],
    ['other types', { types: ['card.moved', 'board.*'] }, event('card.updated', here), all, false],
    ['a family of types', { types: ['board.*', 'card.*'] }, event('card.updated', here), all, true],
    ['a card', { card_id: 'card' }, event('comment.created', here), all, true],
    ['another card', { card_id: 'other' }, event('comment.created', here), all, false],
    ['a board', { board_id: here }, event('card.updated', here), all, true],
    ['another board', { board_id: [there] }, event('card.updated', here), all, false],
    ['another board, not what is of none', { board_id: [there] }, event('label.created', null), all, false],
    ['the board that a card left', { board_id: there }, event('card.moved', here, there), all, true],
    [
      'the board that a card left, not seen',
      { board_id: there },
      event('card.moved', here, there),
      seeing(here),
      false,
    ],
    ['a changed field', { changed: ['priority', 'title'] }, event('card.updated', here), all, true],
    ['other changed fields', { changed: ['priority'] }, event('card.updated', here), all, false],
    [
      'a change, not a creation',
      { changed: ['title'] },
      event('card.created', here, null, { previous: {} }),
      all,
      false,
    ],
    [
      'the field by which a card goes out of sight',
      { changed: ['column_id'] },
      event('card.moved', here, there),
      seeing(there),
      true,
    ],
    [
      'another field of a card that goes out of sight',
      { changed: ['title'] },
      event('card.moved', here, there),
      seeing(there),
      false,
    ],
    ['the other board of a dependency', { board_id: there }, event('dependency.added', here, there), all, false],
    [
      'anything, when a database was rolled back',
      { types: 'card.moved', board_id: there, card_id: 'other' },
      event('feed.reset', null),
      all,
      true,
    ],
  ])('%s', (_, wanted, given, reader, is) => expect(shownTo(given, reader, wanted) !== undefined).toBe(is));
});
