import type { Event } from '@cardinal/client/source';
import { expect, it } from 'vitest';
import { eventLine } from './line.ts';

const event = (more: object) =>
  ({
    seq: 14,
    type: 'card.created',
    at: '2030-01-03T14:05:07.000Z',
    changed: [],
    previous: {},
    data: null,
    card: { id: 'c', identifier: 'PAY-1' },
    ...more,
  }) as unknown as Event;

const said = (more: object) => eventLine(event(more)).replace(/^14 {2}2030-01-03 14:05:07 {2}/, '');

it('says what happened to what, what a short field was and is, and of others the name', () => {
  expect(said({ data: { title: 'Refund\u001b[31m twice' } })).toBe(
    'card.created         PAY-1      "Refund [31m twice"',
  );
  expect(
    said({
      type: 'card.transferred',
      changed: ['identifier', 'workstream'],
      previous: { identifier: 'MAIN-1' },
      data: { title: 'Refund twice', workstream: { id: 'w' } },
    }),
  ).toBe('card.transferred     PAY-1      identifier MAIN-1 → PAY-1, workstream, "Refund twice"');
  expect(
    said({
      type: 'card.updated',
      changed: ['due_date', 'description', 'column_id', 'position'],
      previous: { due_date: null, column_id: 'x', position: -3 },
      data: { due_date: '2030-01-31T17:00:00.000Z', column_id: 'y', position: -1, description: 'long' },
    }),
  ).toBe('card.updated         PAY-1      due date none → 2030-01-31 17:00, description, column, position');
  expect(said({ type: 'label.deleted', card: null })).toBe('label.deleted');
});
