import { busCa, busUrl, databaseUrl, failpoints, loadConfig } from '@cardinal/runtime';
import { z } from 'zod';

/** A whole number from 1 on. */
export const positive = z.coerce.number().int().min(1);

/** A port to listen on. 0, the default, takes any free one. */
export const port = z.coerce.number().int().min(0).max(65_535).default(0);

/** The variables that the migrations of a service need. */
export const migrationConfig = z.object({
  DATABASE_URL: databaseUrl.describe(
    'Its own database, as its own role; of several hosts with commas between them, the one that takes writes. Migrations take it too.',
  ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('The least that is logged; migrations take it too.'),
});

const common = {
  ...migrationConfig.shape,
  NODE_ENV: z.string().optional().describe('`production` refuses `FAILPOINT`.'),
  PORT: port.describe('Port of `/healthz`, `/readyz` and `/metrics`; 0 takes any free one.'),
  HOST: z.string().default('127.0.0.1').describe('Address at which that port listens.'),
  DATABASE_POOL_SIZE: positive.default(10).describe('Connections to the database.'),
  NATS_URL: busUrl.describe(
    'The broker, as the user of the service; several servers with commas between them, `tls://` for TLS.',
  ),
  NATS_CA: busCa,
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe('Where traces go, OTLP over HTTP; without it tracing costs nothing.'),
  FAILPOINT: z.enum(failpoints).optional().describe('For tests: where the process kills itself.'),
  RETENTION_HOURS: positive
    .min(24)
    .default(24)
    .describe('How long answers are kept for their idempotency keys (CONTRACT 3.4).'),
};

/** Reads a configuration from the environment. Ends the process with a message where a variable is wrong. */
export const readConfig = <Schema extends z.ZodObject>(schema: Schema): z.output<Schema> =>
  loadConfig(schema, process.env);

/** The variables that every service with a database reads. */
export type ServiceConfig = z.output<z.ZodObject<typeof common>>;

/**
 * Makes the schema of a service's configuration: the variables of every service with a database, and `own`. Production
 * refuses a failpoint.
 */
export const serviceConfig = <Own extends z.ZodRawShape>(own: Own) =>
  z.object({ ...common, ...own }).refine(
    // The generic shape hides that it includes `common`.
    (config) => {
      const { NODE_ENV, FAILPOINT } = config as { NODE_ENV?: string; FAILPOINT?: string };
      return NODE_ENV !== 'production' || FAILPOINT === undefined;
    },
    { path: ['FAILPOINT'], message: 'is not allowed in production' },
  );

/** For the services whose database the register witnesses. */
export const trustDatabases = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true')
  .describe(
    '`true` for one start says that the databases are the latest though the register has no witness of them: a broker that was wiped on purpose. Numbers go on without a gap then.',
  );

/** Milliseconds of an age or a pause, with a default. */
export const milliseconds = (byDefault: number) => positive.default(byDefault);
