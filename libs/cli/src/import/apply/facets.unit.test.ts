import type { Card } from '@cardinal/client/source';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctionOf, type Facets, facetsOf, stepsTo } from './facets.ts';

const value = (...values: string[]) => fc.constantFrom(...values);
const list = fc.subarray(['a', 'b', 'c']).map((ids) => ids.join(' '));
const facets: fc.Arbitrary<Facets> = fc.record({
  title: value('one', 'two'),
  description: value('', 'text'),
  due_date: value('', '2030-01-01T12:00:00.000Z'),
  priority: value('', 'urgent'),
  completed: value('', 'yes'),
  archived: value('', 'yes'),
  column: value('todo', 'done'),
  labels: list,
  assignees: list,
});

/** A card with these facets; its texts are compared as fingerprints. */
const cardOf = (state: Facets, version: number): Card => {
  const ids = (joined: string) => (joined === '' ? [] : joined.split(' '));
  const at = '2025-01-01T00:00:00.000Z';
  return {
    version,
    title: state.title,
    description: state.description || null,
    due_date: state.due_date || null,
    priority: state.priority || null,
    completed_at: state.completed ? at : null,
    archived_at: state.archived ? at : null,
    column_id: state.column,
    label_ids: ids(state.labels),
    assignee_user_ids: ids(state.assignees),
  } as Card;
};
const seen = (state: Facets): Facets => facetsOf(cardOf(state, 1));

describe('the steps of an update', () => {
  it('lead from any state to any other, none without need, and none moves an archived card', () => {
    fc.assert(
      fc.property(facets, facets, (from, to) => {
        const steps = stepsTo(from, to);
        expect(steps.at(-1)?.after ?? from).toEqual(to);
        let at = from;
        for (const { what, after } of steps) {
          expect(after).not.toEqual(at);
          if (what === 'move') expect(at.archived).toBe('');
          at = after;
        }
      }),
    );
  });
});

describe('a card that is already there', () => {
  it('is updated from wherever an update was interrupted, also to what another mapping says meanwhile', () => {
    fc.assert(
      fc.property(facets, facets, facets, fc.nat(), (base, begun, other, at) => {
        const states = [base, ...stepsTo(base, begun).map(({ after }) => after)];
        const done = at % states.length;
        const card = cardOf(states[done] as Facets, 4 + done);
        const left = { version: 4, facets: seen(base), begun: seen(begun) };
        for (const wanted of [begun, other]) {
          const correction = correctionOf(left, card, seen(wanted));
          const reached = correction.state === 'due' ? correction.steps.at(-1)?.after : facetsOf(card);
          expect(reached).toEqual(seen(wanted));
          expect(correction.state).not.toBe('left');
        }
      }),
    );
  });

  const base: Facets = {
    ...{ title: 'one', description: '', due_date: '', priority: '', completed: '', archived: '' },
    ...{ column: 'todo', labels: '', assignees: '' },
  };
  const left = { version: 4, facets: seen(base), begun: undefined };
  const wanted = { ...base, title: 'two', column: 'done' };

  it.each([
    ['commented on', base],
    ['renamed', { ...base, title: 'mine' }],
    ['moved', { ...base, column: 'elsewhere' }],
    ['moved where the row wants it', { ...base, column: 'done' }],
  ])('is left alone once it was %s', (_, state) => {
    const correction = correctionOf(left, cardOf(state, 5), seen(wanted));
    expect(correction.state).toBe('left');
  });

  it('is unchanged where it is as its row, whoever made it so', () => {
    for (const known of [left, undefined]) {
      expect(correctionOf(known, cardOf(wanted, 9), seen(wanted))).toEqual({ state: 'unchanged' });
    }
  });

  it('is left alone where another run made it', () => {
    expect(correctionOf(undefined, cardOf(base, 4), seen(wanted))).toEqual({
      state: 'left',
      fields: ['title', 'column'],
    });
  });

  it('is completed, except for what somebody changed, where an update began before', () => {
    const begun = { ...left, begun: seen(wanted) };
    // The title was written; then somebody gave it a priority, or another column.
    const urgent = cardOf({ ...base, title: 'two', priority: 'urgent' }, 6);
    const correction = correctionOf(begun, urgent, seen(wanted));
    expect(correction).toMatchObject({ state: 'due', isPartOf: true });
    const steps = correction.state === 'due' ? correction.steps : [];
    expect(steps.map(({ what }) => what)).toEqual(['move']);
    expect(correctionOf(begun, cardOf({ ...base, title: 'two', column: 'mine' }, 6), seen(wanted)).state).toBe('left');
  });

  it('of a journal that knows its version alone is updated at that version', () => {
    const older = { version: 4, facets: undefined, begun: undefined };
    expect(correctionOf(older, cardOf(base, 4), seen(wanted)).state).toBe('due');
    expect(correctionOf(older, cardOf(base, 5), seen(wanted)).state).toBe('left');
  });
});
