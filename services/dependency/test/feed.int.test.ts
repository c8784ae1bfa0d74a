import { event } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { addEdges } from '../src/graph/add.ts';
import { startCardDouble, usualBoard } from './support/card-double.ts';
import { anEdge, createClient } from './support/client.ts';
import { startHarness } from './support/harness.ts';

const harness = await startHarness();
const card = await startCardDouble(harness.natsUrl);

/** A workspace with cards a, b, c, d, and one on another board. */
const setUp = () => {
  const client = createClient(harness);
  const { workspace_id } = client.who;
  const [a, b, c, d] = card.add(workspace_id, 4) as [string, string, string, string];
  const board_id = v7();
  const [far] = card.add(workspace_id, 1, { board_id }) as [string];
  const nameOf = (id: string) => card.identifierOf(workspace_id, id);
  /** The events in order, with the second board that a reader must see. */
  const eventsOf = async () => {
    const { rows } = await harness.db.read((tx) =>
      sql<{ seq: number; other_board_id: string | null; event: object }>`
        select seq, other_board_id, event from changes where workspace_id = ${workspace_id} order by seq`.execute(tx),
    );
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
    return rows.map(({ seq, other_board_id, event: one }) => ({ ...event.parse({ seq, ...one }), other_board_id }));
  };
  return { ...client, workspace_id, a, b, c, d, far, board_id, nameOf, eventsOf };
};

const within = <T>(requestId: string, work: () => T): T =>
  runInContext(newContext({ requestId, timeoutMs: 60_000 }), work);

test('a new dependency has one event, of its card, for readers that see both boards', async () => {
  const { put, who, a, b, far, board_id, nameOf, eventsOf } = setUp();
  const data = await within('request-7', () => put(a, b));
  await put(a, b);
  await put(a, far);
  const [first, second, ...others] = await eventsOf();
  expect(others).toEqual([]);
  expect(first).toEqual({
    id: expect.any(String),
    seq: 1,
    type: 'dependency.added',
    at: data.created_at,
    actor: { user_id: who.user_id, api_key_id: null },
    request_id: 'request-7',
    card: { id: a, identifier: nameOf(a) },
    subject: { type: 'dependency', id: b, version: null },
    board_id: usualBoard,
    other_board_id: null,
    changed: [],
    previous: {},
    data,
  });
  expect(second).toMatchObject({ subject: { id: far }, board_id: usualBoard, other_board_id: board_id });
});

test('a removed one has one event, without data', async () => {
  const { put, remove, a, far, board_id, nameOf, eventsOf } = setUp();
  await put(a, far);
  await within('request-8', () => remove(a, far));
  await remove(a, far);
  const [, removed, ...others] = await eventsOf();
  expect(others).toEqual([]);
  expect(removed).toMatchObject({
    type: 'dependency.removed',
    request_id: 'request-8',
    card: { id: a, identifier: nameOf(a) },
    subject: { type: 'dependency', id: far, version: null },
    other_board_id: board_id,
    changed: [],
    previous: {},
    data: null,
  });
});

test('concurrent ones each have an event of their own request, in the order of creation', async () => {
  const { put, remove, edges, who, workspace_id, a, eventsOf } = setUp();
  const cards = card.add(workspace_id, 20);
  const users = cards.map(() => ({ ...who, user_id: v7() }));
  const each = (work: typeof put) =>
    Promise.all(cards.map((id, at) => within(`request-${at}`, () => work(a, id, users[at]))));
  const all = cards.map((id, at) => ({
    subject: { id },
    request_id: `request-${at}`,
    actor: { user_id: users[at]?.user_id, api_key_id: null },
  }));
  const byCard = (one: { subject: { id: string } }, other: { subject: { id: string } }) =>
    one.subject.id < other.subject.id ? -1 : 1;

  await each(put);
  const added = await eventsOf();
  expect(added.map(({ subject }) => subject.id)).toEqual((await edges()).map((edge) => edge.depends_on_card_id));
  expect(added.toSorted(byCard)).toMatchObject(all);
  await each((...removal) => remove(...removal).then(() => ({}) as never));
  const removed = (await eventsOf()).slice(20);
  expect(removed.every(({ type }) => type === 'dependency.removed')).toBe(true);
  expect(removed.toSorted(byCard)).toMatchObject(all);
});

test('of those that are added together, only new ones have an event', async () => {
  const { workspace_id, a, b, c, d, put, eventsOf } = setUp();
  await put(a, b);
  // Partly against the order, so that they are added by halves; one closes a cycle.
  const requests = [anEdge(a, b), anEdge(b, c), anEdge(c, a), anEdge(c, d), anEdge(c, d), anEdge(a, d)];
  const additions = await addEdges(harness.db, workspace_id, requests);
  expect(additions.map(({ result }) => result)).toEqual(['there', 'added', 'cycle', 'added', 'there', 'added']);
  const added = (await eventsOf()).slice(1);
  expect(added.map((one) => [one.card?.id, one.subject.id])).toEqual([
    [b, c],
    [c, d],
    [a, d],
  ]);
  for (const { at, data } of added) expect(data).toMatchObject({ created_at: at });
});

test('neither a refused one nor one of a deleted card has an event', async () => {
  const { put, handOverDeleted, a, b, c, eventsOf, edges } = setUp();
  await put(a, b);
  await put(b, c);
  await expect(put(c, a)).rejects.toMatchObject({ code: 'conflict' });
  await handOverDeleted(b);
  expect(await edges()).toEqual([]);
  expect(await eventsOf()).toHaveLength(2);
});
