import { getWorkstream, workstreamChanged } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { expect, test } from 'vitest';
import { aCaller, aWorkstream, startWorld } from './support/world.ts';

const world = await startWorld();
await world.start(250);

const createInTime = async () => {
  const caller = aCaller();
  const web = await runInContext(newContext({ timeoutMs: 30_000 }), () => aWorkstream(world, caller, 'WEB'));
  expect(await world.bus.call(getWorkstream, { ...caller, workstream_id: web.id })).toEqual(web);
  return web;
};

test('a writer is answered in time where the projection is not, and its event follows by the stream', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  world.card.holdUp = promise;
  const { id } = await createInTime();
  resolve();

  const received: string[] = [];
  world.bus.consume({
    consumer: await world.declareConsumer('test', workstreamChanged),
    handle: async (event) => {
      received.push(event.aggregate_id);
    },
    onPoison: async (_, error) => Promise.reject(error),
  });
  await expect.poll(() => received).toContain(id);
});

test('a writer is answered where nobody serves the projection', async () => {
  await world.card.bus.drain();
  await createInTime();
});
