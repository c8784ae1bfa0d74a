import { serviceNames } from '@cardinal/contracts';
import { eventually, startWorld } from '@cardinal/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { doctor } from './doctor.ts';
import { expectDense, startLoad } from './rolling/load.ts';

test('from all services in one process to a process for each, and back, under load: no request fails', async () => {
  const env = { gateway: { RATE_LIMIT_MAX: '1000000', REQUEST_TIMEOUT_MS: '20000' } };
  const world = await startWorld({ apart: false, env });
  onTestFinished(() => world.stop());
  const load = await startLoad(world);
  await load.more(20);
  // In the order of their start; requests go to the first one alone until the second one is taken in.
  const [together, apart] = [0, 1] as const;

  await Promise.all(serviceNames.filter((name) => name !== 'gateway').map((name) => world.restart(name)));
  await world.restart('gateway');
  await load.more(40);
  await load.balanced.leaveOut(together);
  await world.kill('all', 'SIGTERM');
  await load.more(40);

  await world.restart('all');
  load.balanced.takeIn(together);
  await load.more(40);
  await load.balanced.leaveOut(apart);
  for (const name of serviceNames.toReversed()) await world.kill(name, 'SIGTERM');
  await load.more(40);
  await load.stop();
  expect(load.failures).toEqual([]);

  await expectDense(load);
  // Throws where anything differs.
  await eventually(() => doctor(world.adminUrl), { everyMs: 2_000 });
});
