import type { LocalCalls } from '@cardinal/bus';
import type { ServiceName } from '@cardinal/contracts';
import type { Lifecycle, Logger, serveHealth, serveMetrics } from '@cardinal/runtime';
import type { z } from 'zod';

/** What the process gives a service that it runs. */
export interface Host<Config> {
  config: Config;
  logger: Logger;
  /** Takes each part as soon as it runs. Parts stop in reverse. */
  life: Pick<Lifecycle, 'add'>;
  /** Serves probes and scrapes, on the service's own port where its process has no other service. */
  serveHealth: typeof serveHealth;
  /** Serves scrapes alone, likewise. */
  serveMetrics: typeof serveMetrics;
  /** Shared by the services of the process; undefined where it has one. */
  local?: LocalCalls;
}

/** A service that a process runs, alone (`runAlone`) or beside others (`runTogether`). */
export interface Program<Schema extends z.ZodObject = z.ZodObject> {
  name: ServiceName;
  /** The schema of its environment variables. */
  config: Schema;
  /** Imports what its start runs, so that the start need not wait for it. */
  load(): Promise<unknown>;
  /** Resolves once it serves. @throws ServerProblem where a server that it needs cannot be used */
  start(host: Host<z.output<Schema>>): Promise<void>;
}
