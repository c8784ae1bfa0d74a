import { eventTypes } from '@cardinal/contracts';
import { sharedStack } from '@cardinal/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, newFixture } from '../routes/fixture.ts';
import { bodyOf, optionsFor, pathOf, type Route, routes, sendTo } from '../routes/samples.ts';
import { type Answer, type Body, clientOf } from '../workspace.ts';
import { logOf, watchLog } from './log.ts';
import { expectedOf, readNamed } from './told.ts';

const stack = await sharedStack();
const writes = routes.filter(({ isRead }) => !isRead);

/** DELETEs of resources; others remove something from a resource that stays. */
const endsResource = ({ method, path }: Route) => method === 'DELETE' && /^\/\w+\/\{\w+\}$/.test(path);

/** The opposite route: without it first, this one would change nothing. */
const before = (route: Route): Route | undefined => {
  const { method, path } = route;
  if (endsResource(route)) return undefined;
  return routes.find(
    (one) =>
      (method === 'PUT' && one.method === 'DELETE' && !endsResource(one) && path.startsWith(one.path)) ||
      (method === 'DELETE' && one.method === 'PUT' && one.path.startsWith(path)),
  );
};

/** A valid request in the current state. */
const requestOf = async (route: Route, fixture: Fixture, body: Body) => {
  const [path, options] = [pathOf(route, fixture), optionsFor(route, fixture)];
  if (route.takesBody) options.body = body;
  if (route.needsIfMatch) {
    const named = path.split('/', 3).join('/');
    options.ifMatch = (await fixture.client.data(fixture.client.get(named))).version;
  }
  return { path, options };
};

type Variant = (fixture: Fixture) => Body | Promise<Body>;
const cardsOf = async ({ client, card, other }: Fixture) =>
  Promise.all([card, other].map(async ({ id }) => ({ card: id, version: (await client.card(id)).version })));

/** Bodies beside that of the document, where an operation may emit several types, or an event differs from the rule. */
const variants: Record<string, Record<string, Variant>> = {
  patchCard: {
    'transfers and edits': ({ workstream }) => ({ title: 'elsewhere', workstream_id: workstream.id }),
    completes: () => ({ completed: true }),
    'replaces a text that is too long to be remembered': async ({ client, card }) => {
      const { version } = await client.card(card.id);
      const body = { description: 'x'.repeat(241) };
      await client.data(client.patch(`/cards/${card.id}`, { ifMatch: version, body }));
      return { title: 'short', description: 'y'.repeat(240) };
    },
  },
  bulkCards: {
    transfers: ({ workstream }) => ({ transfer: { workstream_id: workstream.id } }),
    edits: () => ({ patch: { title: 'many' } }),
    'transfers and edits': ({ workstream }) => ({ patch: { title: 'many', workstream_id: workstream.id } }),
    moves: () => ({ move: { position: 'end' } }),
    archives: () => ({ archive: true }),
    restores: async (fixture) => {
      const { client } = fixture;
      for (const { card, version } of await cardsOf(fixture)) {
        await client.data(client.post(`/cards/${card}/archive`, { ifMatch: version }));
      }
      return { restore: true };
    },
    'adds labels': ({ label }) => ({ add_labels: [label.id] }),
  },
};

/** The types that each operation was seen to emit. */
const seen = new Map<string, Set<string>>();

/** Sends a request twice, and compares the log with what was read before and after. */
const expectTold = async (fixture: Fixture, route: Route, variant?: Variant) => {
  const { client } = fixture;
  const first = before(route);
  if (first) {
    const request = await requestOf(first, fixture, first.takesBody ? bodyOf(first, fixture) : undefined);
    expect((await sendTo(first, fixture, request)).status).toBe(first.success);
  }
  const body = (await variant?.(fixture)) ?? (route.takesBody ? bodyOf(route, fixture) : undefined);
  if (variant && route.operationId === 'bulkCards') body.cards = await cardsOf(fixture);
  const request = await requestOf(route, fixture, body);
  const log = await watchLog(client);
  const was = await readNamed(fixture, request);
  const answer = await sendTo(route, fixture, request);
  expect(answer.status, answer.text).toBe(route.success);
  const again: Answer = await sendTo(route, fixture, request);
  expect([route.success, 404, 412]).toContain(again.status);
  // A request for several things has changed each of them.
  const results: Body[] = Array.isArray(answer.body?.data) ? answer.body.data : [answer.body?.data];
  const told = await log.news();
  expect(told, JSON.stringify(told)).toHaveLength(route.emits?.length ? results.length : 0);
  for (const one of told) {
    expect(route.emits).toContain(one.type);
    const sorted = { ...one, changed: one.changed.toSorted() };
    expect(sorted).toEqual(await expectedOf(one, { fixture, before: was, answer }));
    seen.set(route.operationId, (seen.get(route.operationId) ?? new Set()).add(one.type));
  }
  expect(told.map(({ subject }) => subject.id)).toEqual([...new Set(told.map(({ subject }) => subject.id))]);
};

const byName = (some: readonly Route[]) => some.map((route) => [route.operationId, route] as const);

describe('a write makes one event, which shows what is read afterwards; its repetition makes none', () => {
  /** Of all of these, in the order of the document: what is archived is restored by the next one. */
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await newFixture(stack);
  });

  it.each(byName(writes.filter((route) => !endsResource(route))))('%s', async (_, route) => expectTold(fixture, route));

  it('and their numbers have no gap', async () => {
    const all = await logOf(fixture.client);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
  });
});

describe.concurrent('so does a write that removes something, or does several things at once', () => {
  /** Where a cover and a linked file matter: what takes them away. */
  const own = ({ method }: Route) => newFixture(stack, { hasImage: method === 'DELETE' });

  it.each(byName(writes.filter(endsResource)))('%s', async (_, route) => expectTold(await own(route), route));

  it('createWorkstream of the default one, which is there and begins to adopt', async () => {
    const client = await clientOf(stack);
    const [main] = await client.data(client.get('/workstreams'));
    const log = await watchLog(client);
    const data = await client.data(
      client.post('/workstreams', { body: { name: 'Moved in', prefix: 'MAIN', adopting: true } }),
    );
    const told = await log.news();
    expect(told).toMatchObject([
      {
        type: 'workstream.updated',
        subject: { type: 'workstream', id: main.id, version: 2 },
        data,
        changed: ['name', 'adopting'],
        previous: { name: 'Main' },
      },
    ]);
    seen.set('createWorkstream', (seen.get('createWorkstream') ?? new Set()).add('workstream.updated'));
  });

  const further = writes.flatMap((route) =>
    Object.entries(variants[route.operationId] ?? {}).map(
      ([what, variant]) => [route.operationId, what, route, variant] as const,
    ),
  );
  it.each(further)('%s %s', async (_operation, _what, route, variant) => expectTold(await own(route), route, variant));
});

describe('what is declared', () => {
  afterAll(() => seen.clear());

  it.each(byName(writes))('%s emits each type that it may', (id, route) => {
    expect(route.emits, 'its declaration says what it emits, [] for nothing').toBeDefined();
    expect([...(seen.get(id) ?? [])].sort()).toEqual([...(route.emits ?? [])].sort());
  });

  it('is every type but those of changes without a request', () => {
    const declared = new Set(writes.flatMap(({ emits = [] }) => emits));
    expect(eventTypes.filter((type) => !declared.has(type))).toEqual(['feed.reset', 'file.updated']);
  });
});
