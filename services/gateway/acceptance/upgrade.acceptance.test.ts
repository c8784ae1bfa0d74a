import { databaseOwners, serviceNames } from '@cardinal/contracts';
import { buildBefore, hasService, migrateService, repository } from '@cardinal/servers';
import { eventually, rounds, startWorld } from '@cardinal/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { doctor } from './doctor.ts';
import { logOf } from './events/log.ts';
import { bringIn, expectDense, startLoad, takeOut } from './rolling/load.ts';
import type { Client } from './workspace.ts';

const before = buildBefore();
const title = before
  ? 'from the last release to this build and back, its processes beside the others and then alone, under load: no request fails'
  : 'NOT TRIED: CHANGELOG.md names no commit of a release, or this history lacks it';

/** The log has every create once, whichever build took it. */
const expectLogged = async (client: Client, cards: readonly string[]) => {
  const events = await logOf(client);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  const created = events.filter(({ type }) => type === 'card.created').map(({ subject }) => subject.id);
  expect(created.sort()).toEqual([...cards].sort());
};

test.skipIf(!before)(title, async () => {
  const former = { build: before as string };
  const env = { gateway: { RATE_LIMIT_MAX: '1000000', REQUEST_TIMEOUT_MS: '20000' } };
  const world = await startWorld({ apart: true, env, ...former });
  onTestFinished(() => world.stop());
  const load = await startLoad(world);
  await load.more(20);
  for (const owner of databaseOwners) await migrateService(owner, world.databaseUrls[owner], world.logOf('nats'));

  // Two versions of every service work side by side, and share the requests; then this one is alone; then both again.
  const both = serviceNames.filter((name) => hasService(name, former.build));
  await bringIn(world, load, 1, () => ({ build: repository }));
  await takeOut(world, load, 0, both);
  await bringIn(world, load, 0, () => former);
  if (rounds(2, 1) === 2) await takeOut(world, load, 1, both);
  await load.stop();
  expect(load.failures).toEqual([]);

  await expectDense(load);
  await eventually(() => expectLogged(load.client, [...new Set(load.named.values())]));
  // Throws where anything differs.
  await eventually(() => doctor(world.adminUrl), { everyMs: 2_000 });
});
