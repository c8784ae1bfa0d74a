import { loadConfig } from '@cardinal/runtime';
import { milliseconds, serviceConfig } from '@cardinal/service/config';
import type { z } from 'zod';

/** What the service reads from its environment. */
export const configSchema = serviceConfig({
  /** Age at which the sweeper sends an identifier that the ledger may not have, and its pause between two rounds. */
  RECORD_AGE_MS: milliseconds(2_000),
  RECORD_SWEEP_INTERVAL_MS: milliseconds(1_000),
});

export type Config = z.output<typeof configSchema>;

/** The service's configuration; ends the process where the environment is wrong. */
export const readConfig = (): Config => loadConfig(configSchema, process.env);
