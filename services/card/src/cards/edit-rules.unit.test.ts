import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Content, type Edits, edit, nextVersion, targetOf } from './rules.ts';

const now = new Date('2027-01-01T00:00:00.000Z');
const earlier = new Date('2026-01-01T00:00:00.000Z');
const card: Content = { title: 'Card', description: 'Text', due_date: earlier, priority: 'urgent', completed_at: null };

describe('an edit', () => {
  test('answers only what comes out different', () => {
    expect(edit(card, { title: 'Card', description: 'Other', due_date: earlier.toISOString() }, now)).toEqual({
      description: 'Other',
    });
  });

  test('clears with null', () => {
    expect(edit(card, { description: null, due_date: null, priority: null }, now)).toEqual({
      description: null,
      due_date: null,
      priority: null,
    });
  });

  test('completes now, once', () => {
    expect(edit(card, { completed: true }, now)).toEqual({ completed_at: now });
    expect(edit({ ...card, completed_at: earlier }, { completed: true }, now)).toEqual({});
    expect(edit({ ...card, completed_at: earlier }, { completed: false }, now)).toEqual({ completed_at: null });
    expect(edit(card, { completed: false }, now)).toEqual({});
  });
});

const moments = fc.constantFrom(null, earlier.toISOString(), now.toISOString());
const priorities = fc.constantFrom(null, 'urgent' as const, 'important' as const);
const texts = fc.constantFrom('a', 'b');
const contents: fc.Arbitrary<Content> = fc.record({
  title: texts,
  description: fc.option(texts),
  due_date: moments.map((value) => (value === null ? null : new Date(value))),
  priority: priorities,
  completed_at: fc.constantFrom(null, earlier),
});
const edits: fc.Arbitrary<Edits> = fc.record(
  { title: texts, description: fc.option(texts), due_date: moments, priority: priorities, completed: fc.boolean() },
  { requiredKeys: [] },
);

describe('whatever the card and the edit', () => {
  test('the card then holds what was asked, and only named fields changed', () => {
    fc.assert(
      fc.property(contents, edits, (content, asked) => {
        const after = { ...content, ...edit(content, asked, now) };
        expect({
          ...after,
          due_date: after.due_date?.toISOString() ?? null,
          completed: after.completed_at !== null,
        }).toMatchObject(asked);
        const named = Object.keys(asked).map((field) => (field === 'completed' ? 'completed_at' : field));
        for (const field of Object.keys(content).filter((name) => !named.includes(name))) {
          expect(after[field as keyof Content]).toBe(content[field as keyof Content]);
        }
      }),
    );
  });

  test('doing it again changes nothing, and every answered field is a change', () => {
    fc.assert(
      fc.property(contents, edits, (content, asked) => {
        const changes = edit(content, asked, now);
        expect(edit({ ...content, ...changes }, asked, new Date(now.getTime() + 1))).toEqual({});
        for (const [field, value] of Object.entries(changes))
          expect(value).not.toEqual(content[field as keyof Content]);
      }),
    );
  });
});

test('fields that change are one version, a new identifier is one', () => {
  const title = { title: 'New' };
  expect(nextVersion(3, { fields: {}, target: null })).toBe(3);
  expect(nextVersion(3, { fields: title, target: null })).toBe(4);
  expect(nextVersion(3, { fields: {}, target: 'pay' })).toBe(4);
  expect(nextVersion(3, { fields: title, target: 'pay' })).toBe(5);
});

test('a card goes to another workstream that is named, not to its own', () => {
  const card = { workstream_id: 'main' };
  expect([undefined, 'main', 'pay'].map((wanted) => targetOf(card, wanted))).toEqual([null, null, 'pay']);
});
