import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { eventually, startWorld } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { doctor } from './doctor.ts';
import { type Body, type Client, together, untilAnswered, workspaceWithBoard } from './workspace.ts';

/** Creates a card, transfers it and renames its target, repeating each request until it is answered for good. */
const write = async (client: Client, columnId: string, target: Body, title: string): Promise<Body> => {
  const key = randomUUID();
  const created = await untilAnswered(() => client.post(`/columns/${columnId}/cards`, { key, body: { title } }));
  expect(created.status).toBe(201);
  const moved = await untilAnswered(() => client.transfer(created.body.data, target.id, { key: `${key}-t` }));
  expect(moved.status).toBe(200);
  return moved.body.data;
};

it('loses nothing when the broker loses its folder while writes go on, and needs no hand', async () => {
  const world = await startWorld();
  try {
    const { client, board, column } = await workspaceWithBoard(world);
    const pay = await client.createWorkstream('PAY');
    const before = await write(client, column.id, pay, 'before');
    const [lost, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let answered = 0;

    const writers = together(4, async (writer) => {
      const cards: Body[] = [];
      for (let round = 0; round < 8; round += 1) {
        if (round === 6) await back.promise;
        cards.push(await write(client, column.id, pay, `card ${writer}.${round}`));
        answered += 1;
        if (answered === 8) lost.resolve();
      }
      return cards;
    });
    await Promise.race([lost.promise, writers]);
    await world.kill('nats', 'SIGKILL');
    rmSync(world.natsFolder, { recursive: true });
    await world.restart('nats');
    const restarted = performance.now();
    back.resolve();
    const acknowledged = [before, ...(await writers).flat()];

    const renamed = await untilAnswered(() =>
      client.patch(`/workstreams/${pay.id}`, { body: { name: 'Payments' }, ifMatch: pay.version }),
    );
    expect(renamed.status).toBe(200);
    const report = await eventually(() => doctor(world.adminUrl), { timeoutMs: 30_000, everyMs: 500 });
    expect(report).toContain('no event is unpublished');
    expect(performance.now() - restarted).toBeLessThan(60_000);

    const listed = await client.all(`/boards/${board.id}/cards`);
    expect(listed).toHaveLength(33);
    const byId = new Map(listed.map((card) => [card.id, card]));
    for (const card of acknowledged) {
      expect(byId.get(card.id)).toMatchObject({ identifier: card.identifier, version: card.version });
    }
    expect(new Set(listed.map((card) => card.workstream.name))).toEqual(new Set(['Payments']));
  } finally {
    await world.stop();
  }
});
