import { connectBus } from '@cardinal/bus';
import { openDatabase, startRelay } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { serve } from '../../src/service.ts';
import type { DB } from '../../src/tables.gen.ts';

/** One instance of the service inside the test's process, on the real bus and database, without its sweepers. */
export const startInstance = async (urls: { databaseUrl: string; natsUrl: string }) => {
  const logger = createLogger({ service: 'identifier', level: 'silent' });
  const db = openDatabase<DB>({ url: urls.databaseUrl, name: 'identifier', poolSize: 5 });
  const bus = await connectBus({ url: urls.natsUrl, name: 'identifier', logger });
  const relay = startRelay({ db, publish: (event) => bus.publish(event), logger });
  const parts = { bus, db, relay, logger, now: () => new Date() };
  serve(parts);
  return {
    parts,
    stop: async () => {
      await relay.stop();
      await bus.drain();
      await db.close();
    },
  };
};
export type Instance = Awaited<ReturnType<typeof startInstance>>;
