import type { Card, PatchCardBody } from '@cardinal/contracts';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { aCaller, aColumn, create, patch } from './support/builders.ts';
import { type Fixture, startFixture } from './support/fixture.ts';
import { startIdentifierDouble } from './support/identifier-double.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
  await startIdentifierDouble(fixture.natsUrl);
});

const texts = fc.constantFrom('a', 'b');
// One that changes nothing is refused.
const edits: fc.Arbitrary<PatchCardBody> = fc
  .record(
    {
      title: texts,
      description: fc.option(texts),
      due_date: fc.constantFrom(null, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'),
      priority: fc.constantFrom(null, 'urgent' as const, 'important' as const),
      completed: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .filter((edit) => Object.keys(edit).length > 0);

/**
 * What an edit makes of a card (specification, "States and transitions"): a state that is reached keeps its time, and
 * where nothing comes out different nothing changes.
 * @param at when it changed
 */
const edited = (card: Card, { completed, ...fields }: PatchCardBody, at: string): Card => {
  const next = { ...card, ...fields } as Card;
  if (completed !== undefined) next.completed_at = completed ? (card.completed_at ?? at) : null;
  const same = Object.entries(next).every(([field, value]) => value === card[field as keyof Card]);
  return same ? card : { ...next, version: card.version + 1, updated_at: at };
};

test('whatever card and edits: it then holds what was asked, all else stays, and asking again changes nothing', async () => {
  const caller = aCaller();
  const { column } = await aColumn(fixture, caller);
  const chain = fc.array(edits, { minLength: 3, maxLength: 3 });
  const check = async (chains: PatchCardBody[][]) => {
    // At once, so that edits of every kind share a statement.
    await Promise.all(
      chains.map(async (bodies) => {
        let { resource: card } = await create(fixture, caller, column.id);
        for (const body of bodies) {
          const { resource } = await patch(fixture, caller, card, body);
          expect(resource).toEqual(edited(card, body, resource.updated_at));
          expect(resource.updated_at >= card.updated_at).toBe(true);
          expect((await patch(fixture, caller, resource, body)).resource).toEqual(resource);
          card = resource;
        }
      }),
    );
  };
  await fc.assert(fc.asyncProperty(fc.array(chain, { minLength: 20, maxLength: 20 }), check), { numRuns: 3 });
});
