import { randomUUID } from 'node:crypto';
import { startWorld } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { clientOf, together, untilAnswered, workspaceWithBoard } from './workspace.ts';

describe('two instances of every service', () => {
  it('give out numbers as one, answer equal requests as one, and outlive each other', async () => {
    const world = await startWorld({ instances: { gateway: 2, card: 2, identifier: 2 } });
    try {
      const { client, board, column } = await workspaceWithBoard(world);
      const { workspaceId: workspace, userId: user } = client;
      const other = await clientOf({ ...world, baseUrl: world.baseUrls[1] ?? '' }, { workspace, user });
      const either = (n: number) => (n % 2 ? client : other);
      const pay = await client.createWorkstream('PAY');

      const card = await client.createCard(column.id, 'contested');
      const transfers = await together(20, (n) => either(n).transfer(card, pay.id));
      expect(transfers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(transfers.filter(({ status }) => status === 412)).toHaveLength(19);

      const key = randomUUID();
      const create = (n: number) =>
        either(n).post(`/columns/${column.id}/cards`, { key, body: { title: 'once', workstream_id: pay.id } });
      const equal = await together(20, create);
      expect(new Set(equal.map(({ body }) => JSON.stringify(body))).size).toBe(1);

      const many = together(60, (n) => {
        const own = randomUUID();
        return untilAnswered(() =>
          either(n).post(`/columns/${column.id}/cards`, {
            key: own,
            body: { title: `card ${n}`, workstream_id: pay.id },
          }),
        );
      });
      await Promise.all([world.kill('card'), world.kill('identifier')]);
      for (const { status } of await many) expect(status).toBe(201);

      const identifiers = (await client.all(`/boards/${board.id}/cards`)).map((each) => each.identifier);
      expect(identifiers.sort()).toEqual(Array.from({ length: 62 }, (_, n) => `PAY-${n + 1}`).sort());
    } finally {
      await world.stop();
    }
  });
});
