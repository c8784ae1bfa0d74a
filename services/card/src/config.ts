import { failpoints, loadConfig } from '@cardinal/runtime';
import { z } from 'zod';

const positive = z.coerce.number().int().min(1);

const migration = z.object({
  DATABASE_URL: z.url(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

const service = migration
  .extend({
    NODE_ENV: z.string().optional(),
    /** Health port; 0 takes any free one. */
    PORT: z.coerce.number().int().min(0).max(65_535).default(0),
    HOST: z.string().default('127.0.0.1'),
    DATABASE_POOL_SIZE: positive.default(10),
    NATS_URL: z.url(),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
    FAILPOINT: z.enum(failpoints).optional(),
    /** Age at which the sweeper takes an operation for abandoned, and its pause between two rounds, ms. */
    OPERATION_AGE_MS: positive.default(2_000),
    OPERATION_SWEEP_INTERVAL_MS: positive.default(1_000),
    /** How long stored responses are kept; at least 24 h (api-decisions, "Idempotency"). */
    RETENTION_HOURS: positive.min(24).default(24),
  })
  .refine((config) => config.NODE_ENV !== 'production' || config.FAILPOINT === undefined, {
    path: ['FAILPOINT'],
    message: 'is not allowed in production',
  });

export type Config = z.output<typeof service>;

/** The service's configuration; ends the process where the environment is wrong. */
export const readConfig = (): Config => loadConfig(service, process.env);

/** What the migrations need; ends the process where the environment is wrong. */
export const readMigrationConfig = () => loadConfig(migration, process.env);
