import type { LocalCalls } from '@cardinal/bus';
import type { ServiceName } from '@cardinal/contracts';
import type { Lifecycle, Logger, serveHealth, serveMetrics } from '@cardinal/runtime';
import type { z } from 'zod';

/** What a service gets from the process that runs it. */
export interface Host<Config> {
  config: Config;
  logger: Logger;
  /** Receives each part as soon as it runs; the parts stop in the reverse order. */
  life: Pick<Lifecycle, 'add'>;
  /** Answers probes and scrapes, at the service's own port where its process has no other service. */
  serveHealth: typeof serveHealth;
  /** Answers scrapes alone, likewise. */
  serveMetrics: typeof serveMetrics;
  /** What the services of the process share; undefined where it has no other. */
  local?: LocalCalls;
}

/**
 * A service as a process runs it: alone (`runAlone`) or beside others (`runTogether`). The service must not be imported
 * before it starts, since the telemetry has to see the database driver load.
 */
export interface Program<Schema extends z.ZodObject = z.ZodObject> {
  name: ServiceName;
  /** What it reads from its environment. */
  config: Schema;
  /** Resolves when it works. @throws ServerProblem where a server that it needs cannot be used */
  start(host: Host<z.output<Schema>>): Promise<void>;
}
