import { describe, expect, it } from 'vitest';
import { see } from './seen.ts';

const card = {
  id: 'a',
  type: 'card',
  version: 3,
  position: 1.5,
  title: 'x',
  identifier: 'PAY-1',
  workstream: { id: 'w', name: 'Payments', prefix: 'PAY' },
  archived_at: null,
  completed_at: null,
  priority: null,
  updated_at: 't',
  comment_count: 0,
  assignee_user_ids: ['u'],
  label_ids: [],
};
const seen = (change: object) => see(JSON.stringify({ data: { ...card, ...change } }));
const digestOf = (change: object) => seen(change).card?.digest;

describe('what is kept of an answer', () => {
  it('distinguishes what a version covers, and nothing else', () => {
    const same = digestOf({});
    expect(digestOf({ position: 9 })).toBe(same);
    expect(digestOf({ workstream: { ...card.workstream, name: 'Renamed' } })).toBe(same);
    expect(digestOf({ comment_count: 1 })).not.toBe(same);
    expect(digestOf({ updated_at: 'u' })).not.toBe(same);
    expect(digestOf({ workstream: { ...card.workstream, id: 'v' } })).not.toBe(same);
  });

  it('compares bodies regardless of the order of their members', () => {
    const reversed = Object.fromEntries(Object.entries(card).reverse());
    expect(see(JSON.stringify({ data: reversed })).whole).toBe(seen({}).whole);
    expect(seen({ position: 9 }).whole).not.toBe(seen({}).whole);
  });

  it('keeps the version of a refusal, and what is strange', () => {
    const error = { code: 'precondition_failed', request_id: 'r', details: { current_version: 4 } };
    expect(see(JSON.stringify({ error })).error).toEqual({
      code: 'precondition_failed',
      requestId: 'r',
      currentVersion: 4,
    });
    expect(see('<html>').strange).toBe('<html>');
  });
});
