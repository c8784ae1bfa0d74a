import { listDependencies, listDependents, replyOf } from '@cardinal/contracts';
import { waitingForLock } from '@cardinal/testkit/instance';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { listNeighbours } from '../src/dependencies/dependencies.ts';
import { startCardDouble } from './support/card-double.ts';
import { createClient } from './support/client.ts';
import { type Harness, startHarness } from './support/harness.ts';

const harness = await startHarness();
const card = await startCardDouble(harness.natsUrl);

const setUp = () => {
  const client = createClient(harness);
  const cards = (count: number, more = {}) => card.add(client.who.workspace_id, count, more);
  return { ...client, makeCards: cards, a: cards(1)[0] as string };
};

test('lists are from the oldest dependency to the newest, for any page size', async () => {
  const { put, remove, dependencies, dependents, makeCards, a } = setUp();
  const others = makeCards(7);
  for (const other of others.toReversed()) await put(a, other);
  const [last, ...rest] = others as [string, ...string[]];
  await remove(a, rest[0] as string);
  await put(a, rest[0] as string);
  const order = [...rest.slice(1).reverse(), last, rest[0]];
  for (const limit of [1, 2, 3, 6, 7, 100]) expect(await dependencies(a, { limit })).toEqual(order);
  expect(await dependents(last)).toEqual([a]);
  expect(await dependents(a)).toEqual([]);
});

test('a dependency that waited for another change is the younger one by its time too', async () => {
  const { put, who, makeCards, a } = setUp();
  const [b, c] = makeCards(2) as [string, string];
  await put(a, b);
  const { db } = harness;
  const { waiting, freedAt } = await db.transaction(async (tx) => {
    const workspace = tx.updateTable('workspaces').where('workspace_id', '=', who.workspace_id);
    await workspace.set((row) => ({ last_change: row('last_change', '+', 1) })).executeTakeFirstOrThrow();
    const waiting = put(a, c);
    await expect.poll(() => waitingForLock(db)).toBe(1);
    return { waiting, freedAt: new Date().toISOString() };
  });
  expect((await waiting).created_at >= freedAt).toBe(true);
});

test('entries show the card and the age of the dependency', async () => {
  const { put, who, makeCards, a } = setUp();
  const [b] = makeCards(1) as [string];
  const { created_at } = await put(a, b);
  const { items, next_cursor } = await harness.bus.call(listDependencies, { ...who, card_id: a, page: { limit: 1 } });
  const identifier = card.identifierOf(who.workspace_id, b);
  const shown = { id: b, identifier, title: identifier, board_id: expect.any(String) };
  expect(items).toEqual([{ card: { ...shown, completed_at: null, archived_at: null }, created_at }]);
  expect(next_cursor).toBeNull();
});

test('cards that the caller does not see are left out, and pages stay full', async () => {
  const { put, dependencies, dependents, who, makeCards, a } = setUp();
  const insider = { ...who, user_id: v7() };
  const seen: string[] = [];
  const all: string[] = [];
  for (let index = 0; index < 30; index += 1) {
    const isSeen = index % 7 === 3;
    const [other] = makeCards(1, isSeen ? {} : { seenBy: [insider.user_id] }) as [string];
    await put(a, other, insider);
    all.push(other);
    if (isSeen) seen.push(other);
  }
  for (const limit of [1, 2, 3, 4, 5]) expect(await dependencies(a, { limit })).toEqual(seen);
  expect(await dependencies(a, { as: insider, limit: 4 })).toEqual(all);
  const [hidden] = makeCards(1, { seenBy: [insider.user_id] }) as [string];
  await put(hidden, all[0] as string, insider);
  expect(await dependents(all[0] as string, { as: insider })).toEqual([a, hidden]);
});

test('a page behind thousands of hidden cards is found in a few steps', async () => {
  const { who, makeCards, a, dependencies } = setUp();
  const hidden = makeCards(12_000, { seenBy: [] });
  const seen = makeCards(2);
  await harness.db.transaction((tx) =>
    sql`
      insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
      select ${who.workspace_id}, ${a}, id, place, now()
      from unnest(${[...hidden, ...seen]}::uuid[]) with ordinality as one (id, place)`.execute(tx),
  );
  let steps = 0;
  const read: Harness['db']['read'] = (fn) => {
    steps += 1;
    return harness.db.read(fn);
  };
  const request = { ...who, card_id: a, page: { limit: 1 } };
  const document = await listNeighbours({ ...harness.context, db: { ...harness.db, read } }, 'card_id', request);
  expect(replyOf(document)).toMatchObject({ items: [{ card: { id: seen[0] } }] });
  expect(steps).toBeLessThanOrEqual(8);
  expect(await dependencies(a, { limit: 1 })).toEqual(seen);
});

test('a cursor of another list is refused', async () => {
  const { put, who, makeCards, a } = setUp();
  const [b, c] = makeCards(2) as [string, string];
  await put(a, b);
  await put(a, c);
  const list = (contract: typeof listDependencies, card_id: string, cursor?: string) =>
    harness.bus.call(contract, { ...who, card_id, page: { limit: 1, cursor } });
  const cursor = (await list(listDependencies, a)).next_cursor as string;
  expect((await list(listDependencies, a, cursor)).items).toMatchObject([{ card: { id: c } }]);
  const refused = { code: 'invalid_request' };
  await expect(list(listDependencies, b, cursor)).rejects.toMatchObject(refused);
  await expect(list(listDependents, a, cursor)).rejects.toMatchObject(refused);
  await expect(list(listDependencies, a, 'broken')).rejects.toMatchObject(refused);
});
