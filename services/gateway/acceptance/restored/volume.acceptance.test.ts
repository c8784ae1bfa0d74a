import { startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { drill, expectLossWithoutReuse, expectNothingHappened, modes, show } from './drill.ts';
import { figuresOf } from './figures.ts';
import { startLoad } from './load.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ ownPostgres: true, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

describe.each(modes)('everything on one Postgres, %s', (mode) => {
  it('gives no identifier to a second card where its volume is set back', async () => {
    const { copy: keep, setBack: fall } = world.ownPostgres();
    expectLossWithoutReuse(await drill(world, { name: 'volume set back', mode, keep, fall }));
  });

  it('gives no identifier to a second card where a standby takes its place that lacks the last seconds', async () => {
    const standby = await world.ownPostgres().standby(false);
    const keep = async () => standby.cut();
    const name = 'asynchronous standby promoted';
    expectLossWithoutReuse(await drill(world, { name, mode, keep, fall: standby.promote }));
  });
});

it('loses nothing and skips no number where Postgres crashes ten times and recovers', async () => {
  const load = await startLoad(world);
  for (let crash = 0; crash < 10; crash += 1) {
    await load.more(20, 100);
    await world.kill('postgres', 'SIGQUIT');
    await world.restart('postgres');
  }
  await load.more(20);
  await load.stop();
  const figures = await figuresOf(load, { from: 0, to: 0 });
  show('ten immediate shutdowns of Postgres', figures, load);
  expectNothingHappened(figures);
  expect(figures.answered).toBeGreaterThan(200);
});
