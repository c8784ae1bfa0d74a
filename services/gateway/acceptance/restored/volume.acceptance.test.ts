import { rounds, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { drill, expectLossWithoutReuse, expectNothingHappened, modes, modesOf, show } from './drill.ts';
import { figuresOf } from './figures.ts';
import { startLoad } from './load.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ ownPostgres: true, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

describe('everything on one Postgres', () => {
  it.each(modesOf(modes[1]))('gives no identifier to a second card where its volume is set back, %s', async (mode) => {
    const { copy: keep, setBack: fall } = world.ownPostgres();
    expectLossWithoutReuse(await drill(world, { name: 'volume set back', mode, keep, fall }));
  });

  it.each(modesOf(modes[0]))('nor where a standby takes its place that lacks the last seconds, %s', async (mode) => {
    const standby = await world.ownPostgres().standby(false);
    const keep = async () => standby.cut();
    const name = 'asynchronous standby promoted';
    expectLossWithoutReuse(await drill(world, { name, mode, keep, fall: standby.promote }));
  });
});

it('loses nothing and skips no number where Postgres crashes again and again and recovers', async () => {
  const load = await startLoad(world);
  const crashes = rounds(10, 3);
  for (let crash = 0; crash < crashes; crash += 1) {
    await load.more(20, 100);
    await world.kill('postgres', 'SIGQUIT');
    await world.restart('postgres');
  }
  await load.more(20);
  await load.stop();
  const figures = await figuresOf(load, { from: 0, to: 0 });
  show(`${crashes} immediate shutdowns of Postgres`, figures, load);
  expectNothingHappened(figures);
  expect(figures.answered).toBeGreaterThan(20 * crashes);
});
