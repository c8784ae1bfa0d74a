import { randomUUID } from 'node:crypto';
import { startWorld, type World } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Body, type Client, together, untilAnswered, workspaceWithBoard } from './workspace.ts';

type Process = Parameters<World['kill']>[0];
const processes: Process[] = ['gateway', 'card', 'identifier', 'nats', 'postgres'];

/** Creates a card and transfers it, repeating each request until it is answered; returns the last answer. */
const createAndTransfer = async (client: Client, columnId: string, target: Body, title: string): Promise<Body> => {
  const key = randomUUID();
  const created = await untilAnswered(() => client.post(`/columns/${columnId}/cards`, { key, body: { title } }));
  expect(created.status).toBe(201);
  const transferred = await untilAnswered(() => client.transfer(created.body.data, target.id, { key: `${key}-t` }));
  expect(transferred.status).toBe(200);
  return transferred.body.data;
};

describe.each(processes)('kill -9 of %s amid writes', (victim) => {
  it('loses nothing acknowledged, leaves nothing half done, needs no hand', async () => {
    const world = await startWorld({ ownPostgres: victim === 'postgres' });
    try {
      const { client, board, column } = await workspaceWithBoard(world);
      const pay = await client.createWorkstream('PAY');
      let answered = 0;
      const killed = Promise.withResolvers<void>();

      const writers = together(8, async (writer) => {
        const cards: Body[] = [];
        for (let round = 0; round < 6; round += 1) {
          cards.push(await createAndTransfer(client, column.id, pay, `card ${writer}.${round}`));
          answered += 1;
          if (answered === 10) killed.resolve();
        }
        return cards;
      });
      await Promise.race([killed.promise, writers]);
      await world.kill(victim, 'SIGKILL');
      await world.restart(victim);
      const acknowledged = (await writers).flat();

      const listed = await client.all(`/boards/${board.id}/cards`);
      const byId = new Map(listed.map((card) => [card.id, card]));
      expect(listed).toHaveLength(48);
      for (const card of acknowledged) expect(byId.get(card.id)).toEqual({ ...card, position: expect.any(Number) });
      const histories = await Promise.all(listed.map((card) => client.all(`/cards/${card.id}/identifiers`)));
      const issued = histories.flat().map((entry) => entry.identifier);
      const upTo48 = Array.from({ length: 48 }, (_, n) => n + 1);
      expect(issued.sort()).toEqual(upTo48.flatMap((n) => [`MAIN-${n}`, `PAY-${n}`]).sort());
    } finally {
      await world.stop();
    }
  });
});
