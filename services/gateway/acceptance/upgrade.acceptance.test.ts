import { databaseOwners } from '@cardinal/contracts';
import { buildBefore, migrateService, repository } from '@cardinal/servers';
import { eventually, rounds, startWorld } from '@cardinal/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { doctor } from './doctor.ts';
import { roll, startLoad } from './rolling/load.ts';

const before = buildBefore();
const title = before
  ? 'from the last release to this build and back, one half of the processes after the other under load: no request fails'
  : 'NOT TRIED: CHANGELOG.md names no commit of a release, or this history lacks it';

test.skipIf(!before)(title, async () => {
  const env = { gateway: { RATE_LIMIT_MAX: '1000000', REQUEST_TIMEOUT_MS: '20000' } };
  const world = await startWorld({ env, build: before as string });
  onTestFinished(() => world.stop());
  const load = await startLoad(world);
  await load.more(20);
  for (const owner of databaseOwners) await migrateService(owner, world.databaseUrls[owner], world.logOf('nats'));

  // After the first and the third step two versions of every service work side by side, and share the requests.
  const steps = [
    { half: 1, build: repository },
    { half: 0, build: repository },
    { half: 1, build: before as string },
    { half: 0, build: before as string },
  ] as const;
  for (const { half, build } of steps.slice(0, rounds(4, 3))) await roll(world, load, half, () => ({ build }));
  expect(await load.stop()).toBeGreaterThan(150);
  expect(load.failures).toEqual([]);

  for (const prefix of ['PAY', 'OPS']) {
    const numbers = [...load.named.keys()]
      .filter((name) => name.startsWith(prefix))
      .map((name) => Number(name.slice(4)));
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, n) => n + 1));
  }
  for (const [identifier, id] of load.named) {
    const found = await load.client.data(load.client.get(`/cards/by-identifier/${identifier}`));
    expect([identifier, found.card.id]).toEqual([identifier, id]);
  }
  // Throws where anything differs.
  await eventually(() => doctor(world.adminUrl), { everyMs: 500 });
});
