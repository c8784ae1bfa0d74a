import { startWorld, type World } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { doctor } from '../doctor.ts';
import { drill, expectNoReuse, modes, modesOf } from './drill.ts';
import { copySchema, restoreSchema } from './schema-copy.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ instances: { card: 2, identifier: 2 }, env: { gateway: { RATE_LIMIT_MAX: '1000000' } } });
  return () => world.stop();
});

describe.each(modesOf(modes[0]))('one schema alone set back, %s', (mode) => {
  const setBack = (schema: 'card' | 'identifier', mend: () => Promise<unknown>) =>
    drill(world, {
      name: `${schema} schema alone set back`,
      mode,
      keep: () => copySchema(world, schema),
      fall: () => restoreSchema(world, schema),
      mend,
    });

  it('gives no identifier to a second card where it is that of the card service', async () => {
    const figures = await setBack('card', async () => {});
    expectNoReuse(figures);
    expect(figures.lost).toBeGreaterThan(0);
  });

  it('loses nothing where it is the ledger, once the doctor has filled it again', async () => {
    // It goes on saying what it cannot repair: numbers that were skipped in the other drill.
    const figures = await setBack('identifier', () => doctor(world.adminUrl, '--repair').catch(() => {}));
    expectNoReuse(figures);
    expect(figures.lost).toBe(0);
  });
});
