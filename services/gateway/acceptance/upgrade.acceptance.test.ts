import { databaseOwners } from '@cardinal/contracts';
import { buildBefore, migrateService, repository } from '@cardinal/servers';
import { eventually, rounds, startWorld } from '@cardinal/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { doctor } from './doctor.ts';
import { logOf } from './events/log.ts';
import { roll, startLoad } from './rolling/load.ts';
import type { Client } from './workspace.ts';

const before = buildBefore();
const title = before
  ? 'from the last release to this build and back, one half of the processes after the other under load: no request fails'
  : 'NOT TRIED: CHANGELOG.md names no commit of a release, or this history lacks it';

/** What the last release wrote nobody is told; what this build writes everybody is, once, however much of the other runs. */
const expectTold = async (client: Client, columnId: string, ofBefore: ReadonlySet<string>) => {
  const cards = [await client.createCard(columnId, 'one'), await client.createCard(columnId, 'another')];
  const events = await logOf(client);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const created = events.filter(({ type }) => type === 'card.created').map(({ subject }) => subject.id);
  expect(created).toEqual(expect.arrayContaining(cards.map(({ id }) => id)));
  expect(created.filter((id) => ofBefore.has(id))).toEqual([]);
};

test.skipIf(!before)(title, async () => {
  const env = { gateway: { RATE_LIMIT_MAX: '1000000', REQUEST_TIMEOUT_MS: '20000' } };
  const world = await startWorld({ env, build: before as string });
  onTestFinished(() => world.stop());
  const load = await startLoad(world);
  await load.more(20);
  const ofBefore = new Set(load.named.values());
  for (const owner of databaseOwners) await migrateService(owner, world.databaseUrls[owner], world.logOf('nats'));

  // After the first and the third step two versions of every service work side by side, and share the requests.
  const steps = [
    { half: 1, build: repository },
    { half: 0, build: repository },
    { half: 1, build: before as string },
    { half: 0, build: before as string },
  ] as const;
  for (const [at, { half, build }] of steps.slice(0, rounds(4, 3)).entries()) {
    await roll(world, load, half, () => ({ build }));
    if (at === 1) await expectTold(load.client, load.column.id, ofBefore);
  }
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
  await eventually(() => doctor(world.adminUrl), { everyMs: 2_000 });
});
