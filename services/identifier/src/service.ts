import { purgeCommands } from '@cardinal/db';
import { type Service, tickMs } from '@cardinal/service';
import type { Config } from './config.ts';
import { createContext, type ServiceContext } from './context.ts';
import type { Tables } from './database.ts';
import { serveLedger } from './ledger/ledger.ts';
import { serveLedgerReads } from './ledger/reads.ts';
import { serveRegister } from './ledger/register.ts';
import { serveAdoptions } from './workstreams/adoption.ts';
import { createDefaultWorkstreams } from './workstreams/defaults.ts';
import { finishEndings } from './workstreams/endings.ts';
import { serveWorkstreams } from './workstreams/workstreams.ts';

/** Serves all requests of the service. */
export const serve = (context: ServiceContext): void => {
  const idOfDefault = createDefaultWorkstreams(context);
  serveWorkstreams(context, idOfDefault);
  serveAdoptions(context);
  serveLedger(context, idOfDefault);
  serveLedgerReads(context);
  serveRegister(context);
};

/** The service with its background work. */
export const service: Service<Config, Tables> = (connections, config) => {
  const context = createContext(connections, { isTrusted: config.TRUST_DATABASES });
  serve(context);
  return {
    parts: [context.lineage.part],
    sweepers: [
      { name: 'finish-archives', intervalMs: config.ARCHIVE_SWEEP_INTERVAL_MS, run: () => finishEndings(context) },
      { name: 'lineage', intervalMs: tickMs, run: context.lineage.sweep },
    ],
    retention: [{ purge: purgeCommands, hours: config.RETENTION_HOURS }],
  };
};
