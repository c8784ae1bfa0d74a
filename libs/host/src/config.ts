import { failpoints, loadConfig, wrongSettings } from '@cardinal/runtime';
import { z } from 'zod';
import type { Program } from './program.ts';

/** What the process reads from its environment; everything else is read by its services. */
export const processConfig = z.object({
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('Port of `/healthz`, `/readyz` and `/metrics` of all services; 0 takes any free one.'),
  METRICS_HOST: z.string().default('127.0.0.1').describe('Address at which that port listens.'),
  LOG_LEVEL: z.string().default('info').describe('The least that is logged.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional().describe('Where traces go, OTLP over HTTP.'),
  FAILPOINT: z.enum(failpoints).optional().describe('For tests: where the process kills itself.'),
});

/** The configuration of the one service of this process; exits 1 where it is wrong. */
export const readAlone = <Schema extends z.ZodObject>({ config }: Program<Schema>): z.output<Schema> =>
  loadConfig(config, process.env);

const prefixOf = (name: string): string => `${name.toUpperCase()}_`;

/**
 * The environment of one of several services: a variable with its name before it (`CARD_DATABASE_URL`) is its own, and
 * goes before one that all share (`LOG_LEVEL`). A database is never shared: each service has a role of its own.
 */
export const environmentOf = (name: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { DATABASE_URL, ...shared } = env;
  const prefix = prefixOf(name);
  const own = Object.entries(env).filter(([variable]) => variable.startsWith(prefix));
  return { ...shared, ...Object.fromEntries(own.map(([variable, value]) => [variable.slice(prefix.length), value])) };
};

/** That of the process, and of each of its services in their order; exits 1 where one is wrong, naming all that is. */
export const readTogether = (programs: readonly Program[]) => {
  const environments = programs.map(({ name }) => environmentOf(name, process.env));
  const wrong = programs.flatMap(({ name, config }, at) =>
    wrongSettings(config, environments[at] ?? {}).map((line) => prefixOf(name) + line),
  );
  if (wrong.length > 0) {
    process.stderr.write(`The configuration is wrong:\n${wrong.join('\n')}\n`);
    process.exit(1);
  }
  const ofServices = programs.map(({ config }, at) => loadConfig(config, environments[at] ?? {}));
  return { config: loadConfig(processConfig, process.env), ofServices };
};
