import { getWorkstream, workstreamChanged } from '@cardinal/contracts';
import { newContext, runInContext } from '@cardinal/runtime';
import { aCaller } from '@cardinal/testkit';
import { internalEventsOf } from '@cardinal/testkit/instance';
import { expect, test } from 'vitest';
import { aWorkstream, startWorld } from './support/world.ts';

const world = await startWorld();
const instance = await world.start(250);

const createInTime = async () => {
  const caller = aCaller();
  const web = await runInContext(newContext({ timeoutMs: 30_000 }), () => aWorkstream(world, caller, 'WEB'));
  expect(await world.bus.call(getWorkstream, { ...caller, workstream_id: web.id })).toEqual(web);
  return { ...caller, ...web };
};

test('a writer is answered in time where the projection does not answer, and its event is in the feed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  world.card.holdUp = promise;
  const { id, workspace_id } = await createInTime();
  resolve();

  const noted = await internalEventsOf(instance, workspace_id);
  expect(noted.map(({ type, aggregate_id }) => [type, aggregate_id])).toContainEqual([workstreamChanged.type, id]);
});

test('a writer is answered where no process serves the projection', async () => {
  await world.card.bus.drain();
  await createInTime();
});
