import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { eventually, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { doctor } from './doctor.ts';
import { type Body, type Client, together, untilAnswered, workspaceWithBoard } from './workspace.ts';

type Process = Parameters<World['kill']>[0];
const processes: Process[] = ['gateway', 'card', 'identifier', 'nats', 'postgres'];

let world: World;
beforeAll(async () => {
  world = await startWorld({ ownPostgres: true });
  return () => world.stop();
});

/** Creates a card and transfers it, repeating each request until it is answered; returns the last answer. */
const createAndTransfer = async (client: Client, columnId: string, target: Body, title: string): Promise<Body> => {
  const key = randomUUID();
  const created = await untilAnswered(() => client.post(`/columns/${columnId}/cards`, { key, body: { title } }));
  expect(created.status).toBe(201);
  const transferred = await untilAnswered(() => client.transfer(created.body.data, target.id, { key: `${key}-t` }));
  expect(transferred.status).toBe(200);
  return transferred.body.data;
};

const writersCount = 4;
/** What a writer thinks between two cards, milliseconds, so that most of the machine is left to who starts. */
const thinkMs = 100;

/** Lets clients write, breaks something amid that, and holds what is there to what they were answered. */
const writeAmid = async (breakAndMend: () => Promise<void>) => {
  const { client, board, column } = await workspaceWithBoard(world);
  const pay = await client.createWorkstream('PAY');
  const begun = Promise.withResolvers<void>();
  let isMended = false;
  const writers = together(writersCount, async (writer) => {
    const cards: Body[] = [];
    // Some are written before, some meanwhile, and one by each writer afterwards.
    for (let isLast = false; !isLast; ) {
      isLast = isMended;
      cards.push(await createAndTransfer(client, column.id, pay, `card ${writer}.${cards.length}`));
      if (cards.length === 2) begun.resolve();
      await setTimeout(thinkMs);
    }
    return cards;
  });
  await Promise.race([begun.promise, writers]);
  await breakAndMend().finally(() => {
    isMended = true;
  });
  const acknowledged = (await writers).flat();
  const written = acknowledged.length;

  const listed = await client.all(`/boards/${board.id}/cards`);
  const byId = new Map(listed.map((card) => [card.id, card]));
  expect(listed).toHaveLength(written);
  for (const card of acknowledged) expect(byId.get(card.id)).toEqual({ ...card, position: expect.any(Number) });
  const histories = await Promise.all(listed.map((card) => client.all(`/cards/${card.id}/identifiers`)));
  const issued = histories.flat().map((entry) => entry.identifier);
  const numbers = Array.from({ length: written }, (_, n) => n + 1);
  expect(issued.sort()).toEqual(numbers.flatMap((n) => [`MAIN-${n}`, `PAY-${n}`]).sort());
  return { client, board, pay };
};

describe('kill -9 of every process in turn amid writes', () => {
  it('loses nothing acknowledged, leaves nothing half done, needs no hand', async () => {
    await writeAmid(async () => {
      for (const victim of processes) {
        await world.kill(victim, 'SIGKILL');
        await world.restart(victim);
      }
    });
  });
});

describe('a broker that loses its folder amid writes', () => {
  it('loses nothing acknowledged and no event, needs no hand', async () => {
    const { client, board, pay } = await writeAmid(async () => {
      await world.kill('nats', 'SIGKILL');
      rmSync(world.natsFolder, { recursive: true });
      await world.restart('nats');
    });
    const renamed = await untilAnswered(() =>
      client.patch(`/workstreams/${pay.id}`, { body: { name: 'Payments' }, ifMatch: pay.version }),
    );
    expect(renamed.status).toBe(200);
    const report = await eventually(() => doctor(world.adminUrl), { everyMs: 500 });
    expect(report).toContain('no event is unpublished');
    const cards = await client.all(`/boards/${board.id}/cards`);
    expect(new Set(cards.map((card) => card.workstream.name))).toEqual(new Set(['Payments']));
  });
});
