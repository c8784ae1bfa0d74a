import {
  archiveCard,
  type Caller,
  type Card,
  type CreateCardBody,
  createCard,
  type EventType,
  eventTypes,
  getCard,
  type PatchCardBody,
  patchCard,
} from '@cardinal/contracts';
import { changeOf } from '@cardinal/db';
import { newContext, runInContext } from '@cardinal/runtime';
import { aCaller, aCommand } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { createCards, createMarkedCards } from '../src/cards/statements/create-cards.ts';
import { editCards, transferCards } from '../src/cards/statements/edit-cards.ts';
import { aCard, aColumn, patch, transfer } from './support/builders.ts';
import { notedIn } from './support/feed.ts';
import { startFixture } from './support/fixture.ts';

const fixture = await startFixture();
const { identifier } = fixture;

const inRequest = <T>(requestId: string, work: () => Promise<T>): Promise<T> =>
  runInContext(newContext({ requestId, timeoutMs: 60_000 }), work);

/** The types whose events were compared. */
const compared = new Set<EventType>();

/** Checks that what was noted last is what `changeOf` makes of the two states of the card. */
const expectNoted = async (caller: Caller, type: EventType, data: Card, before?: Card) => {
  const noted = (await notedIn(fixture, caller.workspace_id)).at(-1);
  const expected = changeOf({
    ...{ type, by: caller, requestId: 'request-7', at: data.updated_at, data },
    ...{ subject: data, card: data, boardId: data.board_id },
    ...(before && { before }),
  });
  compared.add(type);
  expect(noted?.event).toBe(expected?.event.replace(expected.id, noted?.id ?? ''));
  expect(noted).toMatchObject({ type, card_id: data.id, board_id: data.board_id, other_board_id: null });
};

const odd = 'Say "no" \\ to \u2028 🂡, \u007f and é\t</b>';
const long = '🂡'.repeat(240);

test.each([
  ['a title alone', { title: 'Card' }],
  ['odd characters', { title: odd, description: `${odd}\n\u0001\b\f\r` }],
  ['everything', { title: 'Card', description: 'Text', due_date: '2030-01-02T03:04:05.670Z', priority: 'urgent' }],
] as const)('a create with %s is noted in the words of others', async (_, body) => {
  const caller = aCaller();
  const { column } = await aColumn(fixture, caller);
  const { resource } = await inRequest('request-7', () =>
    fixture.bus.call(createCard, { ...caller, command: aCommand(), column_id: column.id, body }),
  );
  await expectNoted(caller, 'card.created', resource);
});

test('a create with marks is, too', async () => {
  const caller = aCaller();
  const { column } = await aColumn(fixture, caller);
  const body = { title: 'Card', assignee_user_ids: [v7(), v7()] };
  const { resource } = await inRequest('request-7', () =>
    fixture.bus.call(createCard, { ...caller, command: aCommand(), column_id: column.id, body }),
  );
  await expectNoted(caller, 'card.created', resource);
});

const dated = { due_date: '2030-01-02T03:04:05.670Z' };
const edits: [string, Partial<CreateCardBody>, PatchCardBody][] = [
  ['a title', {}, { title: odd }],
  ['an odd title', { title: odd, description: odd }, { title: 'New', description: null }],
  ['a text that was not there', {}, { description: 'Text' }],
  ['a text of 240 characters', { description: long }, { description: 'Text' }],
  ['a text of 241', { description: `${long}x` }, { description: null }],
  ['a date', dated, { due_date: '0001-01-01T00:00:00.000Z' }],
  ['a date that is taken away', dated, { due_date: null }],
  ['a priority', { priority: 'nice_to_have' }, { priority: 'urgent' }],
  ['what is done', {}, { completed: true }],
  [
    'all at once',
    { ...dated, description: 'Text' },
    { title: 'New', description: long, due_date: null, priority: 'urgent', completed: true },
  ],
];

test.each(edits)('an edit of %s is noted in the words of others', async (_, body, change) => {
  const caller = aCaller();
  const before = await aCard(fixture, caller, body);
  const { resource } = await inRequest('request-7', () => patch(fixture, caller, before, change));
  await expectNoted(caller, 'card.updated', resource, before);
});

test('an archive, a transfer, and a transfer with an edit are, too', async () => {
  const caller = aCaller();
  const [web, pay] = [identifier.add(caller.workspace_id, 'WEB'), identifier.add(caller.workspace_id, 'PAY')];
  const card = await aCard(fixture, caller, { description: `${long}x` });
  const command = { ...caller, card_id: card.id, if_match: [1], command: aCommand() };
  const { resource: archived } = await inRequest('request-7', () => fixture.bus.call(archiveCard, command));
  await expectNoted(caller, 'card.archived', archived, card);
  const { resource: moved } = await inRequest('request-7', () => transfer(fixture, caller, archived, web.id));
  await expectNoted(caller, 'card.transferred', moved, archived);
  const both = { title: 'New', description: null, workstream_id: pay.id };
  const { resource: edited } = await inRequest('request-7', () => patch(fixture, caller, moved, both));
  await expectNoted(caller, 'card.transferred', edited, moved);
  const there = { completed: true, workstream_id: pay.id };
  const { resource: done } = await inRequest('request-7', () => patch(fixture, caller, edited, there));
  await expectNoted(caller, 'card.updated', done, edited);
});

test('requests that share a statement each have their own', async () => {
  const caller = aCaller();
  const { column } = await aColumn(fixture, caller);
  const made = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const body = { title: `Card ${index}` };
      const request = { ...caller, user_id: v7(), command: aCommand(), column_id: column.id, body };
      const { resource } = await inRequest(`create-${index}`, () => fixture.bus.call(createCard, request));
      return resource;
    }),
  );
  await Promise.all(
    made.map(({ id: card_id }, index) => {
      const request = { ...caller, card_id, if_match: [1], command: aCommand(), body: { completed: true } };
      return inRequest(`edit-${index}`, () => fixture.bus.call(patchCard, request));
    }),
  );
  const noted = (await notedIn(fixture, caller.workspace_id)).map(({ event }) => JSON.parse(event));
  for (const [index, { id: card_id, created_by }] of made.entries()) {
    const card = await fixture.bus.call(getCard, { ...caller, card_id });
    const own = noted.filter((event) => event.card?.id === card_id);
    expect(own.map(({ request_id }) => request_id)).toEqual([`create-${index}`, `edit-${index}`]);
    expect(own.map(({ actor }) => actor.user_id)).toEqual([created_by, caller.user_id]);
    expect(own.map(({ data }) => data)).toEqual([made[index], card]);
  }
});

test('every type of event that statements write was compared above', () => {
  const statements = [createCards, createMarkedCards, editCards, transferCards];
  const types = statements.flatMap(({ text }) => [...text.matchAll(/'(\w+\.\w+)'/g)].map(([, type]) => type));
  const known = new Set<string | undefined>(eventTypes);
  expect([...compared].sort()).toEqual([...new Set(types.filter((type) => known.has(type)))].sort());
});
