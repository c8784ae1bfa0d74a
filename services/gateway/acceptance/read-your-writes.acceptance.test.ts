import { startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { fileOn } from './routes/ground.ts';
import { type Body, Client, together, workspaceWithBoard } from './workspace.ts';

let world: World;

beforeAll(async () => {
  const instances = { gateway: 2, card: 2, identifier: 2, dependency: 2, attachment: 2 };
  world = await startWorld({ instances, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

/** One user, who comes through either gateway, and a column. */
const setUp = async () => {
  const { client, board, column } = await workspaceWithBoard(world);
  const baseUrl = world.baseUrls[1] as string;
  const other = new Client({ ...world, baseUrl }, client.workspaceId, client.userId, client.token);
  return { client, other, board, column };
};

const edge = (card: Body, other: Body) => `/cards/${card.id}/dependencies/${other.id}`;
const counts = async (client: Client, card: Body) => {
  const { reference } = await client.data(client.get(`/cards/by-identifier/${card.identifier}`));
  return [reference.dependency_count, reference.dependent_count];
};

describe('with two of every service', () => {
  it('a dependency counts in the very next lookup, 1,000 times', async () => {
    const lanes = await together(10, async () => {
      const { client, other, column } = await setUp();
      const [a, b] = [await client.createCard(column.id, 'A'), await client.createCard(column.id, 'B')];
      const seen: number[][] = [];
      for (let round = 0; round < 100; round += 1) {
        await client.data(client.put(edge(a, b)));
        seen.push(await counts(other, a));
        await other.delete(edge(a, b));
        seen.push(await counts(client, a));
      }
      return seen;
    });
    const [put, removed] = [
      [1, 0],
      [0, 0],
    ];
    for (const seen of lanes) expect(seen).toEqual(Array.from({ length: 100 }, () => [put, removed]).flat());
  }, 180_000);

  it('a deleted card closes no cycle in the very next write, 200 times', async () => {
    const lanes = await together(4, async () => {
      const { client, other, column } = await setUp();
      const [a, c] = [await client.createCard(column.id, 'A'), await client.createCard(column.id, 'C')];
      const seen: unknown[] = [];
      for (let round = 0; round < 50; round += 1) {
        const b = await client.createCard(column.id, 'B');
        await client.data(client.put(edge(a, b)));
        await client.data(other.put(edge(b, c)));
        const refused = (await other.put(edge(c, a))).status;
        const gone = (await client.delete(`/cards/${b.id}`, { ifMatch: b.version })).status;
        const accepted = (await other.put(edge(c, a))).status;
        seen.push([refused, gone, accepted]);
        await client.delete(edge(c, a));
      }
      return seen;
    });
    for (const seen of lanes) expect(seen).toEqual(Array.from({ length: 50 }, () => [409, 204, 200]));
  }, 180_000);

  it('what hung on a deleted subtask or card is gone in the very next request, 20 times', async () => {
    const { client, other, board, column } = await setUp();
    const file = await fileOn(client, board);
    for (let round = 0; round < 20; round += 1) {
      const card = await client.createCard(column.id, 'with a cover');
      const add = () => client.data(client.post(`/cards/${card.id}/subtasks`, { body: { title: 'linked' } }));
      const [first, second] = [await add(), await add()];
      const link = (subtask: Body) => `/subtasks/${subtask.id}/linked-file`;
      await client.data(client.put(`/cards/${card.id}/cover/${file.id}`));
      for (const subtask of [first, second]) await client.data(client.put(`${link(subtask)}/${file.id}`));

      const statuses = async (...requests: Promise<{ status: number }>[]) =>
        (await Promise.all(requests)).map(({ status }) => status);
      const linked = await client.data(client.get(`/subtasks/${first.id}`));
      expect((await client.delete(`/subtasks/${first.id}`, { ifMatch: linked.version })).status).toBe(204);
      expect(await statuses(other.put(`${link(first)}/${file.id}`), other.delete(link(first)))).toEqual([404, 404]);

      const { version } = await client.card(card.id);
      expect((await client.delete(`/cards/${card.id}`, { ifMatch: version })).status).toBe(204);
      expect(
        await statuses(
          other.get(`/cards/${card.id}/cover`),
          other.put(`/cards/${card.id}/cover/${file.id}`),
          other.delete(`/cards/${card.id}/cover`),
          other.put(`${link(second)}/${file.id}`),
          other.delete(link(second)),
        ),
      ).toEqual([404, 404, 404, 404, 404]);
      expect(await other.data(other.get(`/files/${file.id}`))).toEqual(file);
    }
  }, 120_000);
});
