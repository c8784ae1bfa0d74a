import { connectBus } from '@cardinal/bus';
import { openDatabase, startRelay } from '@cardinal/db';
import { createLogger } from '@cardinal/runtime';
import { createContext } from '../../src/context.ts';
import { serve } from '../../src/service.ts';
import type { Tables } from '../../src/store/database.ts';

/** One instance of the service inside the test's process, on the real bus and database. It sweeps when it is told to. */
export const startInstance = async (urls: { databaseUrl: string; natsUrl: string }) => {
  const logger = createLogger({ service: 'card', level: 'error' });
  const db = openDatabase<Tables>({ url: urls.databaseUrl, name: 'card', poolSize: 5 });
  const bus = await connectBus({ url: urls.natsUrl, name: 'card', logger });
  const relay = startRelay({ db, publish: (event) => bus.publish(event), logger });
  const parts = createContext({ db, bus, relay, logger }, { recordAgeMs: 0 });
  serve(bus, parts);
  return {
    parts,
    stop: async () => {
      await relay.stop();
      await bus.drain();
      await parts.recorder.idle();
      await db.close();
    },
  };
};
export type Instance = Awaited<ReturnType<typeof startInstance>>;
