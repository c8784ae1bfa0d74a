import { milliseconds, serviceConfig, trustDatabases } from '@cardinal/service/config';
import type { z } from 'zod';

/** The service's environment variables. */
export const configSchema = serviceConfig({
  ARCHIVE_SWEEP_INTERVAL_MS: milliseconds(2_000).describe(
    'Pause between two looks for archives and openings that were interrupted.',
  ),
  TRUST_DATABASES: trustDatabases,
});

export type Config = z.output<typeof configSchema>;
