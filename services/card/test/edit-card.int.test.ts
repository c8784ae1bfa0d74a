import {
  type Caller,
  type Card,
  createCard,
  deleteBoard,
  deleteCard,
  getCard,
  type PatchCardBody,
  patchCard,
  transferCard,
} from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { internalEventsOf } from '@cardinal/testkit/instance';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { aCard, aColumn, create, patch } from './support/builders.ts';
import { startFixture } from './support/fixture.ts';

const fixture = await startFixture();
const { identifier } = fixture;

const read = (caller: Caller, card_id: string) => fixture.bus.call(getCard, { ...caller, card_id });

const eventsOf = ({ workspace_id }: Caller) => internalEventsOf(fixture.instance, workspace_id);

describe('PATCH', () => {
  test('sets what is given, clears what is null, keeps the rest', async () => {
    const caller = aCaller();
    const card = await aCard(fixture, caller, { description: 'Text', priority: 'urgent' });
    const wish = { title: 'New', description: null, due_date: '2030-01-02T03:04:05.678Z' };
    const { resource, replayed } = await patch(fixture, caller, card, wish);
    expect(replayed).toBe(false);
    expect(resource).toEqual({ ...card, ...wish, version: 2, updated_at: resource.updated_at });
    expect(await read(caller, card.id)).toEqual(resource);
  });

  test('that changes nothing leaves version and time, and is replayed all the same', async () => {
    const caller = aCaller();
    const card = await aCard(fixture, caller, { due_date: '2030-01-02T03:04:05.678Z' });
    const command = aCommand();
    const wish = { title: card.title, due_date: '2030-01-02T03:04:05.678Z', completed: false };
    expect(await patch(fixture, caller, card, wish, command)).toEqual({ resource: card, replayed: false });
    await patch(fixture, caller, card, { title: 'Later' });
    expect(await patch(fixture, caller, card, wish, command)).toEqual({ resource: card, replayed: true });
  });

  test('keeps due dates at both ends of time', async () => {
    const caller = aCaller();
    const [first, last] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];
    const card = await aCard(fixture, caller, { due_date: first });
    expect((await read(caller, card.id)).due_date).toBe(first);
    const later = await patch(fixture, caller, card, { due_date: last });
    expect((await read(caller, card.id)).due_date).toBe(last);
    await patch(fixture, caller, later.resource, { due_date: first });
    expect((await read(caller, card.id)).due_date).toBe(first);
  });

  test('of 20 at once with the same If-Match one wins', async () => {
    const caller = aCaller();
    const card = await aCard(fixture, caller);
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => patch(fixture, caller, card, { title: `New ${index}` })),
    );
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
    expect(await read(caller, card.id)).toMatchObject({ version: 2 });
  });

  test('takes any of several versions in If-Match, never a stale one, and never none', async () => {
    const caller = aCaller();
    const card = await aCard(fixture, caller);
    const wish = (if_match: number[], completed: boolean) =>
      fixture.bus.call(patchCard, { ...caller, command: aCommand(), card_id: card.id, if_match, body: { completed } });
    const { resource } = await wish([7, 1], true);
    expect(resource.completed_at).toBe(resource.updated_at);
    const refused = { code: 'precondition_failed', details: { current_version: 2 } };
    await expect(wish([1], false)).rejects.toMatchObject(refused);
    await expect(wish([], false)).rejects.toMatchObject(refused);
  });
});

describe('DELETE', () => {
  const remove = (caller: Caller, card_id: string, if_match: number[], command = aCommand()) =>
    fixture.bus.call(deleteCard, { ...caller, card_id, if_match, command });

  test('removes the card for good, and its identifier is not given out again', async () => {
    const caller = aCaller();
    const { column } = await aColumn(fixture, caller);
    const { resource: card } = await create(fixture, caller, column.id);
    const command = aCommand();
    expect(await remove(caller, card.id, [1], command)).toEqual({ deleted: true });
    await expect(read(caller, card.id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(patch(fixture, caller, card, { title: 'New' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await create(fixture, caller, column.id)).resource.identifier).toBe('MAIN-2');
    expect(await eventsOf(caller)).toContainEqual(
      expect.objectContaining({ type: 'card.deleted', aggregate_id: card.id, aggregate_version: 2 }),
    );
    // What the bus sends twice is one command.
    expect(await remove(caller, card.id, [1], command)).toEqual({ deleted: true });
    await expect(remove(caller, card.id, [1])).rejects.toMatchObject({ code: 'not_found' });
  });

  test('checks in this order: 404, 412, 409', async () => {
    const caller = aCaller();
    const { board, column } = await aColumn(fixture, caller);
    const { resource: card } = await create(fixture, caller, column.id);
    await fixture.bus.call(deleteBoard, { ...caller, board_id: board.id, command: aCommand(), if_match: [1] });
    await expect(remove(aCaller(), card.id, [1])).rejects.toMatchObject({ code: 'not_found' });
    await expect(remove(caller, card.id, [2])).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(remove(caller, card.id, [1])).rejects.toMatchObject({ code: 'conflict' });
    expect(await read(caller, card.id)).toEqual(card);
  });
});

describe('reading', () => {
  test('cards of several workspaces at once answers each its own', async () => {
    const [one, other] = [aCaller(), aCaller()];
    const [mine, theirs] = await Promise.all([aCard(fixture, one), aCard(fixture, other)]);
    const answers = await Promise.allSettled([
      read(one, mine.id),
      read(other, theirs.id),
      read(one, theirs.id),
      read(one, mine.id),
      read(other, v7()),
    ]);
    const missing = { status: 'rejected', reason: { code: 'not_found', message: 'Card not found' } };
    const found = (value: unknown) => ({ status: 'fulfilled', value });
    expect(answers).toMatchObject([found(mine), found(theirs), missing, found(mine), missing]);
  });
});

// Postgres writes the texts of writes, the service those of reads.
test('creates, edits and transfers answer what a read does, letter by letter', async () => {
  const caller = aCaller();
  const web = identifier.add(caller.workspace_id, 'WEB');
  const { column } = await aColumn(fixture, caller);
  const title = 'Say "no" \\ to \u2028 🂡, \u007f and é';
  const body = { title, description: `${title}\n\t\u0001\b\f\r/</b>` };
  const made = await fixture.bus.fetch(createCard, { ...caller, command: aCommand(), column_id: column.id, body });
  const { id: card_id = '' } = made.head;
  const textNow = async () => (await fixture.bus.fetch(getCard, { ...caller, card_id })).text;
  expect(made.text).toBe(await textNow());
  expect(made.head).toEqual({ id: card_id, version: 1, replayed: false });

  const at = (version: number) => ({ ...caller, command: aCommand(), card_id, if_match: [version] });
  const states = { due_date: '2030-01-02T03:04:05.670Z', priority: 'urgent' as const, completed: true };
  const edited = await fixture.bus.fetch(patchCard, { ...at(1), body: states });
  expect(edited.text).toBe(await textNow());
  expect(edited.head).toEqual({ id: card_id, version: 2, replayed: false });
  const moved = await fixture.bus.fetch(transferCard, { ...at(2), body: { workstream_id: web.id } });
  expect(moved.text).toBe(await textNow());

  for (const [index, position] of [1e-5, -1.25e-7, 0.1 + 0.2, 1e21, -1e15, 123456.5].entries()) {
    await fixture.instance.db.transaction((tx) =>
      tx
        .updateTable('cards')
        .set({ position, label_ids: [v7(), v7()] })
        .where('id', '=', card_id)
        .execute(),
    );
    const { text } = await fixture.bus.fetch(patchCard, { ...at(3 + index), body: { title: `e ${index}` } });
    expect(text).toBe(await textNow());
    expect(JSON.parse(text)).toMatchObject({ position });
  }
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
 * What an edit makes of a card (CONTRACT 5.3): a state that is reached keeps its time, and
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
