import { milliseconds, serviceConfig, trustDatabases } from '@cardinal/service/config';
import type { z } from 'zod';

/** The environment variables of the service. */
export const configSchema = serviceConfig({
  RECORD_AGE_MS: milliseconds(2_000).describe('Age at which an identifier that the ledger may lack is sent again.'),
  RECORD_SWEEP_INTERVAL_MS: milliseconds(1_000).describe('Pause between two looks for such identifiers.'),
  TRUST_DATABASES: trustDatabases,
});

export type Config = z.output<typeof configSchema>;
