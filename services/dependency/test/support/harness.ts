import { declareRegisters } from '@cardinal/bus';
import { atEndOfFile, testBus, testDatabase, testNats } from '@cardinal/testkit';
import { sql } from 'kysely';
import type { Reader } from '../../src/context.ts';
import { type Instance, startInstance } from './instance.ts';

/** A database and a broker of one's own, a caller on the bus, and instances of the dependency service. */
export const startHarness = async ({
  instances: count = 1,
  bestEffortTimeoutMs,
}: {
  instances?: number;
  bestEffortTimeoutMs?: number;
} = {}) => {
  const [{ urls }, nats] = await Promise.all([testDatabase({ service: 'dependency' }), testNats()]);
  await declareRegisters({ url: nats.url });
  const [bus, otherBus] = await Promise.all([testBus(nats.url), testBus(nats.url)]);
  const where = { databaseUrl: urls.dependency, natsUrl: nats.url };
  const instances: Instance[] = [];
  for (let index = 0; index < count; index += 1) instances.push(await startInstance(where, bestEffortTimeoutMs));

  atEndOfFile(async () => {
    for (const instance of instances) await instance.stop();
  });
  const { context } = instances[0] as Instance;
  return {
    urls,
    natsUrl: nats.url,
    bus,
    /** A second caller: what one bus calls in one tick goes to one instance. */
    otherBus,
    context,
    db: context.db,
  };
};
export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** Whether some transaction of this database waits for another one. */
export const waitsForLock = async (db: Reader): Promise<boolean> => {
  const { rows } = await sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(db);
  return rows.length > 0;
};
