import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Answer, type Body, type Client, clientOf, together, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();

const edge = (card: Body, other: Body) => `/cards/${card.id}/dependencies/${other.id}`;
const titles = (entries: Body[]) => entries.map((entry) => entry.card.title);

/** A workspace with cards named A, B, C, … on one board. */
const setUp = async (count = 3) => {
  const { client, board, column } = await workspaceWithBoard(stack);
  const cards = [];
  for (let index = 0; index < count; index += 1) {
    cards.push(await client.createCard(column.id, String.fromCharCode(65 + index)));
  }
  return { client, board, column, cards };
};

const counts = async (client: Client, card: Body) => {
  const { reference } = await client.data(client.get(`/cards/by-identifier/${card.identifier}`));
  return [reference.dependency_count, reference.dependent_count];
};

describe('a dependency', () => {
  it('is declared, listed from both ends, counted, and removed', async () => {
    const { client, board, cards } = await setUp();
    const [a, b, c] = cards;
    const made = await client.put(edge(a, b));
    expect(made.status).toBe(200);
    expect(made.body.data).toEqual({
      card_id: a.id,
      depends_on_card_id: b.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(made.headers.get('etag')).toBeNull();
    await client.data(client.put(edge(a, c)));

    const { id, identifier, title, board_id, completed_at, archived_at } = b;
    const entry = { card: { id, identifier, title, board_id, completed_at, archived_at } };
    const dependencies = await client.all(`/cards/${a.id}/dependencies`);
    expect(dependencies[0]).toEqual({ ...entry, created_at: made.body.data.created_at });
    expect(titles(dependencies)).toEqual(['B', 'C']);
    expect(titles(await client.all(`/cards/${c.id}/dependents`))).toEqual(['A']);
    expect([await counts(client, a), await counts(client, b)]).toEqual([
      [2, 0],
      [0, 1],
    ]);
    expect((await client.all(`/boards/${board.id}/cards?blocked=true`)).map((card) => card.title)).toEqual(['A']);
    expect(await client.card(a.id)).toEqual(a);

    expect(await client.delete(edge(a, b))).toMatchObject({ status: 204, body: '' });
    expect(titles(await client.all(`/cards/${a.id}/dependencies`))).toEqual(['C']);
    expect(await counts(client, b)).toEqual([0, 0]);
  });

  it('may be declared and removed again and again', async () => {
    const { client, cards } = await setUp();
    const [a, b] = cards;
    const first = await client.put(edge(a, b));
    const again = await together(5, () => client.put(edge(a, b)));
    for (const answer of again) expect([answer.status, answer.body]).toEqual([200, first.body]);
    expect(await client.all(`/cards/${a.id}/dependencies`)).toHaveLength(1);
    for (let time = 0; time < 3; time += 1) expect((await client.delete(edge(a, b))).status).toBe(204);
    expect((await client.delete(edge(a, { id: randomUUID() }))).status).toBe(204);
    expect((await client.put(edge(a, b))).status).toBe(200);
  });

  it('may lead to another board', async () => {
    const { client, cards } = await setUp(1);
    const board = await client.data(client.post('/boards', { body: { name: 'Other' } }));
    const column = await client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'There' } }));
    const far = await client.createCard(column.id, 'Far');
    expect((await client.put(edge(cards[0], far))).status).toBe(200);
    const [entry] = await client.all(`/cards/${cards[0].id}/dependencies`);
    expect(entry.card).toMatchObject({ title: 'Far', board_id: board.id });
  });

  it('on the card itself is a validation error', async () => {
    const { client, cards } = await setUp(1);
    const answer = await client.put(edge(cards[0], cards[0]));
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_error']);
  });

  it('takes no body, and needs uuids and the scope', async () => {
    const { client, cards } = await setUp(2);
    const [a, b] = cards;
    expect((await client.put(edge(a, b), { body: {} })).status).toBe(400);
    expect((await client.put(edge(a, { id: 'b' }))).status).toBe(400);
    const who = { workspace: client.workspaceId, scope: 'kanban:read' };
    const reader = await clientOf(stack, who);
    expect((await reader.put(edge(a, b))).status).toBe(403);
    expect((await reader.delete(edge(a, b))).status).toBe(403);
    expect((await reader.get(`/cards/${a.id}/dependencies`)).status).toBe(200);
  });
});

describe('a cycle', () => {
  it('is a conflict that names its cards, the dependent one at both ends', async () => {
    const { client, cards } = await setUp();
    const [a, b, c] = cards;
    await client.data(client.put(edge(a, b)));
    await client.data(client.put(edge(b, c)));
    const answer = await client.put(edge(c, a));
    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict']);
    expect(answer.body.error.details).toEqual({ path: [c, a, b, c].map((card) => card.identifier) });
    expect(await client.all(`/cards/${c.id}/dependencies`)).toEqual([]);
    await client.delete(edge(a, b));
    expect((await client.put(edge(c, a))).status).toBe(200);
  });

  it('does not come about, however many try at once', async () => {
    const { client, cards } = await setUp(10);
    const ring = await together(10, (index) => client.put(edge(cards[index], cards[(index + 1) % 10])));
    expect(ring.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 409]);
    const pairs = await together(20, (index) => {
      const [one, other] = index % 2 ? [cards[0], cards[5]] : [cards[5], cards[0]];
      return client.put(edge(one, other));
    });
    const ways = (one: Body, other: Body) =>
      client.all(`/cards/${one.id}/dependencies`).then((entries) => entries.filter(({ card }) => card.id === other.id));
    expect([...(await ways(cards[0], cards[5])), ...(await ways(cards[5], cards[0]))]).toHaveLength(1);
    expect(new Set(pairs.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });
});

describe('what the caller does not see', () => {
  const comparable = ({ status, body, headers }: Answer) => [
    status,
    { ...body.error, request_id: '' },
    headers.get('content-type'),
    headers.get('etag'),
  ];

  it('is not found, in the one way that the unknown is', async () => {
    const { client, cards } = await setUp(2);
    const [a, b] = cards;
    const foreign = await setUp(1);
    const insider = await clientOf(stack, { workspace: client.workspaceId });
    const board = await insider.data(insider.post('/boards', { body: { name: 'Secret', visibility: 'private' } }));
    const column = await insider.data(insider.post(`/boards/${board.id}/columns`, { body: { name: 'Hidden' } }));
    const hidden = await insider.createCard(column.id, 'Hidden');
    const gone = await client.createCard((await setUpColumn(client)).id, 'Gone');
    await client.delete(`/cards/${gone.id}`, { ifMatch: gone.version });
    await insider.data(insider.put(edge(hidden, a)));
    await insider.data(insider.put(edge(b, hidden)));

    const unknown = { id: randomUUID() };
    const expected = comparable(await client.put(edge(unknown, a)));
    expect(expected[0]).toBe(404);
    for (const unseen of [unknown, hidden, foreign.cards[0], gone]) {
      for (const answer of await Promise.all([
        client.put(edge(unseen, a)),
        client.put(edge(a, unseen)),
        client.delete(edge(unseen, a)),
        client.get(`/cards/${unseen.id}/dependencies`),
        client.get(`/cards/${unseen.id}/dependents`),
      ])) {
        expect(comparable(answer)).toEqual(expected);
      }
    }
    expect(await client.all(`/cards/${a.id}/dependents`)).toEqual([]);
    expect(await client.all(`/cards/${b.id}/dependencies`)).toEqual([]);
    expect(titles(await insider.all(`/cards/${b.id}/dependencies`))).toEqual(['Hidden']);

    // b -> hidden -> a: the cycle is reported, the hidden card is not.
    const cycle = await client.put(edge(a, b));
    expect(cycle.body.error).toMatchObject({ code: 'conflict' });
    expect(cycle.body.error.details).toEqual({ path: [a, b, a].map((card) => card.identifier) });
  });
});

describe('a dependency on a card that the caller does not see', () => {
  it('counts and blocks, is not listed, and stays when they delete it by its id', async () => {
    const { client, board, cards } = await setUp(1);
    const [a] = cards;
    const insider = await clientOf(stack, { workspace: client.workspaceId });
    const secret = await insider.data(insider.post('/boards', { body: { name: 'Secret', visibility: 'private' } }));
    const column = await insider.data(insider.post(`/boards/${secret.id}/columns`, { body: { name: 'Hidden' } }));
    const hidden = await insider.createCard(column.id, 'Hidden');
    await insider.data(insider.put(edge(a, hidden)));

    expect((await client.delete(edge(a, hidden))).status).toBe(204);
    expect(await client.all(`/cards/${a.id}/dependencies`)).toEqual([]);
    expect(titles(await insider.all(`/cards/${a.id}/dependencies`))).toEqual(['Hidden']);
    for (const one of [client, insider]) expect(await counts(one, a)).toEqual([1, 0]);
    expect(await client.all(`/boards/${board.id}/cards?blocked=true`)).toEqual([a]);

    expect((await insider.delete(edge(a, hidden))).status).toBe(204);
    expect(await counts(client, a)).toEqual([0, 0]);
  });
});

const setUpColumn = async (client: Client) => {
  const board = await client.data(client.post('/boards', { body: { name: 'Another' } }));
  return client.data(client.post(`/boards/${board.id}/columns`, { body: { name: 'One' } }));
};

describe('cards that leave', () => {
  it('a deleted one takes its dependencies along', async () => {
    const { client, cards } = await setUp();
    const [a, b, c] = cards;
    await client.data(client.put(edge(a, b)));
    await client.data(client.put(edge(b, c)));
    expect((await client.delete(`/cards/${b.id}`, { ifMatch: b.version })).status).toBe(204);
    expect([await counts(client, a), await counts(client, c)]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(await client.all(`/cards/${a.id}/dependencies`)).toEqual([]);
    expect(await client.all(`/cards/${c.id}/dependents`)).toEqual([]);
    expect((await client.put(edge(c, a))).status).toBe(200);
  });

  it('those of a deleted board show theirs, and take no new ones', async () => {
    const { client, board, cards } = await setUp(2);
    const [a, b] = cards;
    await client.data(client.put(edge(a, b)));
    await client.delete(`/boards/${board.id}`, { ifMatch: board.version });
    expect(titles(await client.all(`/cards/${a.id}/dependencies`))).toEqual(['B']);
    expect(await client.put(edge(a, b))).toMatchObject({ status: 409 });
  });
});

describe('lists', () => {
  it('come in pages, oldest first, by a cursor of their own', async () => {
    const { client, cards } = await setUp(6);
    const [a, b, ...others] = cards;
    for (const other of others) await client.data(client.put(edge(a, other)));
    const path = `/cards/${a.id}/dependencies`;
    const first = await client.get(`${path}?limit=3`);
    expect(titles(first.body.data)).toEqual(['C', 'D', 'E']);
    expect(first.body.page.has_more).toBe(true);
    const cursor = encodeURIComponent(first.body.page.next_cursor);
    const last = await client.get(`${path}?limit=3&cursor=${cursor}`);
    expect(titles(last.body.data)).toEqual(['F']);
    expect(last.body.page).toEqual({ next_cursor: null, has_more: false });
    expect((await client.get(`/cards/${b.id}/dependencies?cursor=${cursor}`)).status).toBe(400);
    expect((await client.get(`${path}?cursor=x`)).status).toBe(400);
    expect((await client.get(`${path}?limit=0`)).status).toBe(400);
  });
});
