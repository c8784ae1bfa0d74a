import { purgeCommands } from '@cardinal/db';
import type { Service } from '@cardinal/service';
import type { Config } from './config.ts';
import { serveLedger } from './ledger/ledger.ts';
import type { DB } from './tables.gen.ts';
import { finishArchives } from './workstreams/archive.ts';
import { createDefaultWorkstreams } from './workstreams/defaults.ts';
import { serveWorkstreams } from './workstreams/workstreams.ts';

/** Everything that the service does. It emits `workstream.changed`, and consumes nothing. */
export const service: Service<Config, DB> = (context, config) => {
  const idOfDefault = createDefaultWorkstreams(context);
  serveWorkstreams(context, idOfDefault);
  serveLedger(context, idOfDefault);

  return {
    sweepers: [
      { name: 'finish-archives', intervalMs: config.ARCHIVE_SWEEP_INTERVAL_MS, run: () => finishArchives(context) },
    ],
    retention: [{ purge: purgeCommands, hours: config.RETENTION_HOURS }],
  };
};
