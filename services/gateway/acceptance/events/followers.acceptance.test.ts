import { eventually, rounds, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { workspaceWithBoard } from '../workspace.ts';
import { startFollower } from './follower.ts';
import { mark } from './log.ts';
import { expectAllOnce, startWriters } from './writers.ts';

/** As often as was promised: ten minutes, 64 clients; else each process once, and few clients. */
const isFull = rounds(2, 1) === 2;
const [writers, followersCount, thinkMs] = isFull ? [48, 16, 250] : [4, 2, 30];
const lastsMs = isFull ? 600_000 : 0;

type Process = Parameters<World['kill']>[0];
const victims: Process[] = ['event', 'gateway', 'card', 'event-2', 'nats', 'gateway-2', 'postgres'];

let world: World;
beforeAll(async () => {
  world = await startWorld({
    ownPostgres: true,
    instances: { gateway: 2, event: 2 },
    env: { gateway: { RATE_LIMIT_MAX: '1000000', REQUEST_TIMEOUT_MS: '10000' } },
  });
  return () => world.stop();
});

it('a follower that is cut off and moved while processes are killed has every acknowledged change once, in order', async () => {
  const { client, column } = await workspaceWithBoard(world);
  const followers = Array.from({ length: followersCount }, () => startFollower(() => world.baseUrls, client.token));
  const load = startWriters({ client, columnId: column.id, baseUrls: () => world.baseUrls, count: writers, thinkMs });
  onTestFinished(async () => void (await Promise.all(followers.map(({ stop }) => stop()))));

  const more = (count: number) => {
    const goal = load.acknowledged.length + count;
    return eventually(() => expect(load.acknowledged.length).toBeGreaterThan(goal));
  };
  const killAll = async () => {
    const end = performance.now() + lastsMs;
    do {
      for (const [at, victim] of victims.entries()) {
        await world.kill(victim, 'SIGKILL');
        followers[at % followers.length]?.cut();
        await world.restart(victim);
        followers[(at + 1) % followers.length]?.cut();
        await more(5);
      }
    } while (performance.now() < end);
  };
  await more(5);
  // A writer that ends before it is told to has met something that it must not.
  await Promise.race([killAll(), load.done]);
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
