import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, type Client, workspaceWithBoard } from './workspace.ts';

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
});
