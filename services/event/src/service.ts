import { countUpTo, purgeCommands, type SqlGauge } from '@cardinal/db';
import { jobGauges } from '@cardinal/jobs';
import { createVisibility, type Service } from '@cardinal/service';
import { sql } from 'kysely';
import type { Config } from './config.ts';
import type { ServiceContext, Tables } from './context.ts';
import { startFiller } from './fill/filler.ts';
import { createRollbacks } from './fill/rollbacks.ts';
import { createDays, dropDays } from './log/days.ts';
import { serveLog } from './log/lists.ts';
import { serveVersionChanges } from './log/version-changes.ts';
import { startWebhooks } from './webhooks/service.ts';

/** What the log has to say of itself. For `sqlGauges`. */
const logGauges = {
  // From the table, since a process that counts would begin anew right when it matters.
  cardinal_log_resets: {
    help: 'Events feed.reset in the logs: after a rollback of a database followers read anew; counted up to 10,000',
    value: countUpTo(sql`select 1 from events where type = 'feed.reset'`),
  },
} satisfies Record<string, SqlGauge>;

/** Everything that the service answers. */
export const serve = (context: ServiceContext): void => {
  serveLog(context);
  serveVersionChanges(context);
};

/** The service with what it does beside. */
export const service: Service<Config, Tables> = (connections, config) => {
  const context = { ...connections, visibility: createVisibility(connections.bus) };
  serve(context);
  const rollbacks = createRollbacks(context, { isTrusted: config.TRUST_DATABASES });
  const filler = startFiller({ ...context, days: createDays(context.db), rollbacks });
  const { parts, sweepers, retention, gauges } = startWebhooks({ ...connections, lineage: rollbacks }, config);
  return {
    parts: [rollbacks.part, ...parts, filler.part],
    sweepers: [...sweepers, rollbacks.sweeper],
    gauges: { ...jobGauges, ...logGauges, ...gauges },
    retention: [
      { purge: purgeCommands, hours: config.RETENTION_HOURS },
      { purge: dropDays, hours: config.EVENT_RETENTION_DAYS * 24 },
      ...retention,
    ],
  };
};
