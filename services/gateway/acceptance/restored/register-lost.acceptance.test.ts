import { cpSync, rmSync } from 'node:fs';
import { eventually, scratchFolder, startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { doctor } from '../doctor.ts';
import { drill, expectLossWithoutReuse, expectNoReuse, expectNothingHappened, modes, wipeBroker } from './drill.ts';
import type { Figures } from './figures.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ apart: true, ownPostgres: true, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

const mode = modes[1];

/**
 * The most that a workstream may skip: ten times what it gave out on a day, a thousand at least; before that, where it began
 * after earlier losses.
 */
const marginOf = ({ answered }: Figures, losses: number) => Math.max(1_000, 10 * answered) + 1_000 * losses;

const unacknowledged = async () => {
  const { DATABASE_URL, NATS_URL } = { DATABASE_URL: world.adminUrl, NATS_URL: world.natsUrls.deploy ?? '' };
  const report = await eventually(() => doctor({ DATABASE_URL, NATS_URL }), { everyMs: 2_000 });
  return report.match(/^ {11}\w+ skipped a margin/gm) ?? [];
};
const acknowledge = () =>
  doctor({ DATABASE_URL: world.adminUrl, NATS_URL: world.natsUrls.deploy ?? '' }, '--acknowledge');

/** The broker's folder as it is, beside a copy of the databases: what a snapshot of the whole machine has. */
const copyAll = async () => {
  const nats = scratchFolder('nats-copy');
  const databases = await world.ownPostgres().copy();
  cpSync(world.natsFolder, nats, { recursive: true });
  return { nats, databases };
};
const putBack = async ({ nats, databases }: Awaited<ReturnType<typeof copyAll>>) => {
  await world.kill('nats', 'SIGKILL');
  rmSync(world.natsFolder, { recursive: true });
  cpSync(nats, world.natsFolder, { recursive: true });
  await world.ownPostgres().setBack(databases);
  await world.restart('nats');
};
describe('everything stopped', () => {
  it('skips nothing after a power cut that is over soon', async () => {
    const figures = await drill(world, {
      name: 'power cut',
      mode,
      keep: async () => {},
      rollback: async () => {
        await Promise.all([world.kill('nats', 'SIGKILL'), world.kill('postgres', 'SIGKILL')]);
        await world.restart('postgres');
        await world.restart('nats');
      },
    });
    expectNothingHappened(figures);
    expect(await unacknowledged()).toEqual([]);
  });

  it('skips nothing where the operator says that the databases are the latest', async () => {
    const figures = await drill(world, {
      name: 'broker emptied on purpose',
      mode,
      keep: async () => {},
      rollback: () => wipeBroker(world),
      env: { TRUST_DATABASES: 'true' },
    });
    expectNothingHappened(figures);
    expect(await unacknowledged()).toEqual([]);
  });

  it('skips a margin where the broker alone is empty', async () => {
    const figures = await drill(world, {
      name: 'broker empty',
      mode,
      keep: async () => {},
      rollback: () => wipeBroker(world),
    });
    expectNoReuse(figures, marginOf(figures, 0));
    expect(figures.lost).toBe(0);
    expect(await unacknowledged()).toHaveLength(2);
    await acknowledge();
  });

  it('gives no identifier twice where the databases are set back and the broker is empty, and says so until somebody has acknowledged it', async () => {
    const figures = await drill(world, {
      name: 'databases set back, broker empty',
      mode,
      keep: world.ownPostgres().copy,
      rollback: async (kept: string) => {
        await world.ownPostgres().setBack(kept);
        await wipeBroker(world);
      },
    });
    expectLossWithoutReuse(figures, marginOf(figures, 1));
    expect(await unacknowledged()).toHaveLength(2);
    await acknowledge();
    expect(await unacknowledged()).toEqual([]);
  });

  it('gives no identifier twice where a copy of the whole state is put back two hours later', async () => {
    const figures = await drill(world, {
      name: 'copy of everything put back',
      mode,
      keep: copyAll,
      rollback: async (kept: Awaited<ReturnType<typeof copyAll>>) => {
        await putBack(kept);
        await world.ageLastWrites(2);
      },
    });
    expectLossWithoutReuse(figures, marginOf(figures, 2));
    expect(await unacknowledged()).toHaveLength(2);
    await acknowledge();
  });
});
