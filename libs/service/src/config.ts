import { busUrl, databaseUrl, failpoints, loadConfig } from '@cardinal/runtime';
import { z } from 'zod';

const positive = z.coerce.number().int().min(1);

const migrationConfig = z.object({
  DATABASE_URL: databaseUrl,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

const common = {
  ...migrationConfig.shape,
  NODE_ENV: z.string().optional(),
  /** Health port; 0 takes any free one. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_POOL_SIZE: positive.default(10),
  NATS_URL: busUrl,
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  FAILPOINT: z.enum(failpoints).optional(),
  /** How long stored responses are kept; at least 24 h (api-decisions, "Idempotency"). */
  RETENTION_HOURS: positive.min(24).default(24),
};

/** What the migrations of a service need; ends the process where the environment is wrong. */
export const readMigrationConfig = () => loadConfig(migrationConfig, process.env);

/** What every service with a database reads from its environment. */
export type ServiceConfig = z.output<z.ZodObject<typeof common>>;

/**
 * The schema of a service with a database: what all of them read from the environment, and its own variables. A
 * failpoint is refused in production.
 */
export const serviceConfig = <Own extends z.ZodRawShape>(own: Own) =>
  z.object({ ...common, ...own }).refine(
    // The generic shape hides that `common` is part of it.
    (config) => {
      const { NODE_ENV, FAILPOINT } = config as { NODE_ENV?: string; FAILPOINT?: string };
      return NODE_ENV !== 'production' || FAILPOINT === undefined;
    },
    { path: ['FAILPOINT'], message: 'is not allowed in production' },
  );

/** An age or a pause in milliseconds, with its default. */
export const milliseconds = (byDefault: number) => positive.default(byDefault);
