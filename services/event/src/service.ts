import { purgeCommands } from '@cardinal/db';
import { jobGauges } from '@cardinal/jobs';
import { createVisibility, type Service } from '@cardinal/service';
import type { Config } from './config.ts';
import type { ServiceContext, Tables } from './context.ts';
import { createFalls } from './fill/falls.ts';
import { startFiller } from './fill/filler.ts';
import { createDays, dropDays } from './log/days.ts';
import { logGauges } from './log/gauges.ts';
import { serveLog } from './log/lists.ts';
import { startWebhooks } from './webhooks/service.ts';

/** Everything that the service answers. */
export const serve = (context: ServiceContext): void => {
  serveLog(context);
};

/** The service with what it does beside. */
export const service: Service<Config, Tables> = (connections, config) => {
  const context = { ...connections, visibility: createVisibility(connections.bus) };
  serve(context);
  const falls = createFalls(context);
  const filler = startFiller({ ...context, days: createDays(context.db), falls });
  const { parts, sweepers, retention, gauges } = startWebhooks(connections, config);
  return {
    parts: [...parts, filler.part],
    sweepers: [...sweepers, falls.sweeper],
    gauges: { ...jobGauges, ...logGauges, ...gauges },
    retention: [
      { purge: purgeCommands, hours: config.RETENTION_HOURS },
      { purge: dropDays, hours: config.EVENT_RETENTION_DAYS * 24 },
      ...retention,
    ],
  };
};
