import { randomUUID } from 'node:crypto';
import { sharedStack, unsigned } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { newFixture } from './routes/fixture.ts';
import { optionsFor, pathOf, type Route, routes, sendTo } from './routes/samples.ts';
import { type Answer, type Body, clientOf } from './workspace.ts';

const stack = await sharedStack();

const fixture = await newFixture(stack);
const { client, card, other } = fixture;
/** The first identifiers of the fixture's two cards, which have others by now. */
const former: Record<string, string> = { card_id: card.identifier, depends_on_card_id: other.identifier };
const next = await client.createWorkstream('NEXT');
for (const one of [card, other]) await client.data(client.transfer(await client.card(one.id), next.id));

const cardOf = (parameter: string): Body => (parameter === 'card_id' ? fixture.card : fixture.other);
const current = async (parameter: string): Promise<string> =>
  (await fixture.client.card(cardOf(parameter).id)).identifier;

/** The names of each card of a path besides its id. */
const spellings: [string, (parameter: string) => Promise<string>][] = [
  ['its identifier', current],
  ['its identifier in lower case', async (parameter) => (await current(parameter)).toLowerCase()],
  ['a former identifier', async (parameter) => former[parameter] ?? ''],
  ['a former identifier in lower case', async (parameter) => (former[parameter] ?? '').toLowerCase()],
];

const spelled = async ({ cards }: Route, spell: (parameter: string) => Promise<string>) =>
  Object.fromEntries(await Promise.all(cards.map(async (name) => [name, await spell(name)] as const)));

const options = async (route: Route) => {
  const { version } = await fixture.client.card(fixture.card.id);
  return { ...optionsFor(route, fixture), ...(route.needsIfMatch ? { ifMatch: version } : {}) };
};

/** The parts of an answer that a client compares. */
const shape = ({ status, headers, body }: Answer) => ({
  status,
  body: unsigned(body),
  etag: headers.get('etag'),
  location: headers.get('location'),
});

const each = (belongs: (route: Route) => boolean) =>
  it.each(
    routes
      .filter((route) => route.cards.length > 0 && belongs(route))
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  );
const endsCard = ({ operationId }: Route) => operationId === 'deleteCard';

describe('a read or a desired state by any name of a card equals that by its id', () => {
  each(({ needsKey, needsIfMatch }) => !needsKey && !needsIfMatch)('%s', async (_, route) => {
    for (const [spelling, spell] of spellings) {
      const named = await sendTo(route, fixture, { replacement: await spelled(route, spell) });
      expect([spelling, named.status]).toEqual([spelling, route.success]);
      expect(shape(named), spelling).toEqual(shape(await sendTo(route, fixture)));
    }
  });
});

describe('an edit by any name of a card edits the card', () => {
  each((route) => route.needsIfMatch && !route.needsKey && !endsCard(route))('%s', async (_, route) => {
    for (const [spelling, spell] of spellings) {
      const sent = { replacement: await spelled(route, spell), options: await options(route) };
      const { status, body } = await sendTo(route, fixture, sent);
      expect([spelling, status, body.data.id]).toEqual([spelling, 200, fixture.card.id]);
    }
  });
});

describe('a key counts for the card, however it is spelled', () => {
  each(({ needsKey }) => needsKey)('%s', async (_, route) => {
    const send = async (path: string, sent: object) => sendTo(route, fixture, { path, options: sent });
    const byId = pathOf(route, fixture);
    for (const [spelling, spell] of spellings) {
      const byName = pathOf(route, fixture, await spelled(route, spell));
      for (const [before, after] of [
        [byName, byId],
        [byId.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => id.toUpperCase()), byName],
      ] as const) {
        const sent = { ...(await options(route)), key: randomUUID() };
        const [first, second] = [await send(before, sent), await send(after, sent)];
        expect([spelling, first.status, second.text]).toEqual([spelling, route.success, first.text]);
        expect(second.headers.get('idempotent-replayed')).toBe('true');
      }
    }
  });
});

it('two names of one card are one card: it does not depend on itself', async () => {
  const { client } = fixture;
  const path = `/cards/${former.card_id}/dependencies/${await current('card_id')}`;
  expect(await client.put(path)).toMatchObject({ status: 422, body: { error: { code: 'validation_error' } } });
  const stranger = await clientOf(stack, { workspace: client.workspaceId });
  await client.data(client.patch(`/boards/${fixture.board.id}`, { ifMatch: 1, body: { visibility: 'private' } }));
  expect(await stranger.put(path)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
});

it('a card that is deleted by a name is gone by all of them', async () => {
  const { client } = fixture;
  const [by, { version }] = [await current('card_id'), await client.card(fixture.card.id)];
  expect((await client.delete(`/cards/${former.card_id}`, { ifMatch: version })).status).toBe(204);
  for (const name of [by, former.card_id, fixture.card.id]) {
    expect((await client.get(`/cards/${name}`)).status).toBe(404);
  }
});
