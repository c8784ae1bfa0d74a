import { serviceConfig, trustDatabases } from '@cardinal/service/config';
import { z } from 'zod';

/** What the service reads from its environment. */
export const configSchema = serviceConfig({
  API_KEYS_MAX_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_660)
    .default(366)
    .describe('How long an API key may be valid, in days; 0 allows keys without an end.'),
  TRUST_DATABASES: trustDatabases,
});

export type Config = z.output<typeof configSchema>;
