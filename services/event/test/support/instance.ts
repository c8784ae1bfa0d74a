import { connectBus } from '@cardinal/bus';
import { openDatabase } from '@cardinal/db';
import { createLogger, sweeper } from '@cardinal/runtime';
import { createVisibility } from '@cardinal/service';
import type { Tables } from '../../src/context.ts';
import { createFalls } from '../../src/fill/falls.ts';
import { startFiller } from '../../src/fill/filler.ts';
import { createDays } from '../../src/log/days.ts';
import { serve } from '../../src/service.ts';

/** One instance of the service inside the test's process, on the real bus and database. */
export const startInstance = async ({ databaseUrl, natsUrl }: { databaseUrl: string; natsUrl: string }) => {
  const logger = createLogger({ service: 'event', level: 'silent' });
  const db = openDatabase<Tables>({ url: databaseUrl, name: 'event', poolSize: 5, connectTimeoutMs: 60_000 });
  const bus = await connectBus({ url: natsUrl, name: 'event', logger, callTimeoutMs: 60_000 });
  const connections = {
    bus,
    db,

    feed: { nudge: () => {}, nudgeProjections: () => {} },
    logger,
  };
  const context = { ...connections, now: () => new Date(), visibility: createVisibility(bus) };
  serve(context as unknown as Parameters<typeof serve>[0]);
  const falls = createFalls({ ...context, logger });
  const filler = startFiller({
    db,
    bus,
    logger,
    now: context.now,
    days: createDays(db),
    falls,
  });
  const sweeping = sweeper({ ...falls.sweeper, logger });
  return {
    db,
    bus,
    filler,
    stop: async () => {
      await filler.part.stop();
      await sweeping.stop();
      await bus.drain();
      await db.close();
    },
  };
};
export type Instance = Awaited<ReturnType<typeof startInstance>>;
