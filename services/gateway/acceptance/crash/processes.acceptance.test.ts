import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { eventually, rounds, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startFollower } from '../events/follower.ts';
import { mark } from '../events/log.ts';
import { expectAllOnce, startWriters } from '../events/writers.ts';
import { type Body, type Client, together, untilAnswered, workspaceWithBoard } from '../workspace.ts';
import { describeFiles } from './files.ts';
import { describeReceivers } from './webhooks.ts';

/** In full: ten minutes, 64 clients that follow or write; else one process of each kind, and few clients. */
const isFull = rounds(2, 1) === 2;
const [writersCount, followersCount] = isFull ? [48, 16] : [2, 2];
const lastsMs = isFull ? 600_000 : 0;
/** Further time for starting and for finishing what is under way. */
const settlesMs = 600_000;
/** The pause of a writer between two requests, ms. It leaves most of the machine to processes that start. */
const thinkMs = 250;

type Process = Parameters<World['kill']>[0];
const kinds: Process[] = ['event', 'gateway', 'card', 'identifier', 'nats', 'postgres'];
const processes: Process[] = isFull ? [...kinds, 'event-2', 'gateway-2'] : kinds;

let world: World;
beforeAll(async () => {
  world = await startWorld({
    apart: true,
    ownPostgres: true,
    instances: { gateway: 2, event: 2 },
    env: {
      gateway: { RATE_LIMIT_MAX: '1000000', REQUEST_TIMEOUT_MS: '10000' },
      event: { WEBHOOK_NETWORKS: '127.0.0.1/32', WEBHOOK_HTTP: 'true' },
      // A process killed during a check is missed after a second.
      attachment: { CHECK_LEASE_MS: '1000' },
    },
  });
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

/** Lets clients write, breaks something meanwhile, and compares the state with the answers. */
const writeAmid = async (breakAndMend: () => Promise<void>) => {
  const { client, board, column } = await workspaceWithBoard(world);
  const pay = await client.createWorkstream('PAY');
  const begun = Promise.withResolvers<void>();
  let isMended = false;
  const writers = together(rounds(4, 2), async (writer) => {
    const cards: Body[] = [];
    // Some are written before, some meanwhile, and one by each writer afterwards.
    for (let isLast = false; !isLast; ) {
      isLast = isMended;
      cards.push(await createAndTransfer(client, column.id, pay, `card ${writer}.${cards.length}`));
      if (cards.length === 2) begun.resolve();
      await setTimeout(isFull ? 10 * thinkMs : thinkMs);
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
  // One after the other: of the many of ten minutes some would be too many at once.
  const issued: string[] = [];
  for (const card of listed) {
    for (const { identifier } of await client.all(`/cards/${card.id}/identifiers`)) issued.push(identifier);
  }
  const numbers = Array.from({ length: written }, (_, n) => n + 1);
  expect(issued.sort()).toEqual(numbers.flatMap((n) => [`MAIN-${n}`, `PAY-${n}`]).sort());
};

const promise =
  'kill -9 of every process in turn loses nothing acknowledged, and who follows has every change once, in order';
it(promise, { timeout: lastsMs + settlesMs }, async () => {
  const { client, column } = await workspaceWithBoard(world);
  const followers = Array.from({ length: followersCount }, () => startFollower(() => world.baseUrls, client.token));
  const load = startWriters({
    client,
    columnId: column.id,
    baseUrls: () => world.baseUrls,
    count: writersCount,
    thinkMs,
  });
  onTestFinished(async () => void (await Promise.all(followers.map(({ stop }) => stop()))));

  const more = (count: number) => {
    const goal = load.acknowledged.length + count;
    return eventually(() => expect(load.acknowledged.length).toBeGreaterThan(goal));
  };
  const killAll = async () => {
    const end = performance.now() + lastsMs;
    do {
      for (const [at, victim] of processes.entries()) {
        await world.kill(victim, 'SIGKILL');
        followers[at % followers.length]?.cut();
        await world.restart(victim);
        followers[(at + 1) % followers.length]?.cut();
        await more(5);
      }
    } while (performance.now() < end);
  };
  await more(5);
  // A writer ends early only with an unexpected answer.
  await writeAmid(async () => void (await Promise.race([killAll(), load.done])));
  await load.stop();

  const { id } = await mark(client);
  for (const { until, events, failures, streams } of followers) {
    await until(id);
    expect(failures).toEqual([]);
    expect(streams()).toBeGreaterThan(2);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expectAllOnce(events, load.acknowledged);
  }
  // What is read in pages is the same.
  expect(await client.all('/events')).toEqual(followers[0]?.events);
});

describeReceivers(() => world);

describeFiles(() => world);
