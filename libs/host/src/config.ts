import { text } from 'node:stream/consumers';
import { failpoints, loadConfig, wrongSettings } from '@cardinal/runtime';
import { z } from 'zod';
import type { Program } from './program.ts';

/** The variables of the process itself; its services read all others. */
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

/** Whether the process gets further variables at its standard input, once they are known to the process that starts it. */
export const getsVariablesLater = (): boolean => process.env.VARIABLES_FROM === 'stdin';

/**
 * Reads variables, a JSON object, from standard input into the environment.
 * @returns false where there are none, as the process that was to write them has ended
 */
export const readVariables = async (): Promise<boolean> => {
  const variables = await text(process.stdin);
  if (variables === '') return false;
  Object.assign(process.env, JSON.parse(variables));
  return true;
};

/** Reads the configuration of the only service of this process. Exits 1 where a variable is wrong. */
export const readAlone = <Schema extends z.ZodObject>({ config }: Program<Schema>): z.output<Schema> =>
  loadConfig(config, process.env);

const prefixOf = (name: string): string => `${name.toUpperCase()}_`;

/**
 * Makes the environment of one of several services. A variable with its name in front (`CARD_DATABASE_URL`) is its own,
 * and overrides a shared one (`LOG_LEVEL`). A database is never shared: each service has a role of its own.
 */
export const environmentOf = (name: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { DATABASE_URL, ...shared } = env;
  const prefix = prefixOf(name);
  const own = Object.entries(env).filter(([variable]) => variable.startsWith(prefix));
  return { ...shared, ...Object.fromEntries(own.map(([variable, value]) => [variable.slice(prefix.length), value])) };
};

/**
 * Reads the configurations of the process and of its services, in order. Exits 1 where a variable is wrong, naming
 * each.
 */
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
