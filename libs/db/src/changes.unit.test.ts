import { newContext, runInContext } from '@cardinal/runtime';
import { expect, test } from 'vitest';
import { type ChangeDetails, changeOf } from './changes.ts';

const user_id = '0197c2f0-0000-7000-8000-000000000001';
const at = new Date('2030-01-03T14:05:00.000Z');
const label = { id: 'l', type: 'label', version: 3, name: 'Bug', color: null, updated_at: '2030-01-01T00:00:00.000Z' };
const later = { ...label, version: 4, updated_at: at.toISOString() };

const details: ChangeDetails = {
  type: 'label.updated',
  by: { user_id },
  at,
  subject: { type: 'label', id: 'l', version: 4 },
  before: label,
  data: { ...later, name: 'Fault' },
};
const eventOf = (more: Partial<ChangeDetails> = {}) => JSON.parse(changeOf({ ...details, ...more })?.event ?? 'null');

test('has type, subject, actor and previous values', () => {
  const change = runInContext(newContext({ requestId: 'request-7', timeoutMs: 60_000 }), () => changeOf(details));
  expect(change).toMatchObject({ type: 'label.updated', card_id: null, board_id: null, other_board_id: null });
  expect(JSON.parse(change?.event ?? '')).toEqual({
    id: change?.id,
    type: 'label.updated',
    at: '2030-01-03T14:05:00.000Z',
    actor: { user_id, api_key_id: null },
    request_id: 'request-7',
    subject: { type: 'label', id: 'l', version: 4 },
    card: null,
    board_id: null,
    changed: ['name'],
    previous: { name: 'Bug' },
    data: { ...later, name: 'Fault' },
  });
});

test('has its id first, after which the log inserts the number', () => {
  const { id, event } = changeOf(details) ?? { id: '', event: '' };
  expect(event.startsWith(`{"id":"${id}",`)).toBe(true);
  expect(id).toHaveLength(36);
});

test('is undefined where only version and time differ', () => {
  expect(changeOf({ ...details, data: later })).toBeUndefined();
  expect(changeOf({ ...details, data: { ...later, color: 'red' } })).toBeDefined();
});

test.each([
  ['null', null, { x: null }],
  ['a truth', false, { x: false }],
  ['a number', 0, { x: 0 }],
  ['240 characters', '𝒙'.repeat(240), { x: '𝒙'.repeat(240) }],
  ['241 characters', 'x'.repeat(241), {}],
  ['50 ids', Array(50).fill('a'), { x: Array(50).fill('a') }],
  ['51 ids', Array(51).fill('a'), {}],
  ['a list of objects', [{ a: 1 }], {}],
  ['an object', { a: 1 }, {}],
])('says of what was %s that it changed, and what it was where that is short', (_, x, previous) => {
  expect(eventOf({ before: { x }, data: { x: 'now' } })).toMatchObject({ changed: ['x'], previous });
});

test('compares lists and objects by value', () => {
  expect(changeOf({ ...details, before: { x: [{ a: 1 }] }, data: { x: [{ a: 1 }] } })).toBeUndefined();
  expect(eventOf({ before: { x: ['a', 'b'] }, data: { x: ['b', 'a'] } }).changed).toEqual(['x']);
});

test('has no differences for something created or deleted', () => {
  const { before: _, ...created } = details;
  const one = JSON.parse(changeOf({ ...created, type: 'label.created' })?.event ?? '');
  expect(one).toMatchObject({ changed: [], previous: {}, data: { name: 'Fault' } });
  expect(eventOf({ type: 'label.deleted', data: null })).toMatchObject({ changed: [], previous: {}, data: null });
});

test('has card and boards, by which its readers are chosen', () => {
  const card = { id: 'c', identifier: 'PAY-7' };
  const change = changeOf({ ...details, card, boardId: 'b', otherBoardId: 'o' });
  expect(change).toMatchObject({ card_id: 'c', board_id: 'b', other_board_id: 'o' });
  expect(JSON.parse(change?.event ?? '')).toMatchObject({ card, board_id: 'b' });
});

test('names the given request, else the current one, else itself', () => {
  const within = <T>(work: () => T) => runInContext(newContext({ requestId: 'current', timeoutMs: 60_000 }), work);
  expect(within(() => eventOf({ requestId: 'given' })).request_id).toBe('given');
  const { id, request_id } = within(() => eventOf({ requestId: null }));
  expect(request_id).toBe(id);
});
