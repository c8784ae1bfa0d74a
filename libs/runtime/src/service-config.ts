import { z } from 'zod';
import { failpoints } from './failpoint.ts';
import { busUrl, databaseUrl } from './server-urls.ts';

const positive = z.coerce.number().int().min(1);

/** What the migrations of a service with a database need. */
export const migrationConfig = z.object({
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
