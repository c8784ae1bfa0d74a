import { databaseOwners } from '@cardinal/contracts';
import { environmentOf, processConfig } from '@cardinal/host';
import { configSchemas } from '@cardinal/servers';
import type { IContainer } from 'kubernetes-models/v1';
import { z } from 'zod';
import { ourImage, type Rule, workloads } from '../manifest.ts';

const services: Record<string, z.ZodObject> = await configSchemas();
const { DATABASE_URL, NATS_URL, NATS_CA, LOG_LEVEL } = services.card?.shape ?? {};

/** What reads which variables: programs that are run once, and the services. */
const programs: Record<string, z.ZodObject> = {
  'service/src/migrate.ts': z.object({ DATABASE_URL, LOG_LEVEL }),
  ...Object.fromEntries(
    databaseOwners.map((owner) => [`services/${owner}/src/migrate.ts`, z.object({ DATABASE_URL, LOG_LEVEL })]),
  ),
  'service/src/registers.ts': z.object({ NATS_URL, NATS_CA, LOG_LEVEL }),
  'deploy/doctor/src/main.ts': z.object({
    ...Object.fromEntries(databaseOwners.map((owner) => [`${owner.toUpperCase()}_DATABASE_URL`, DATABASE_URL])),
    NATS_URL,
    NATS_CA,
    LOG_LEVEL,
  }),
};

const schemaOf = ({ image, args }: IContainer): z.ZodObject | undefined =>
  args ? programs[args.join(' ')] : services[ourImage(image) ?? ''];

/** Values of Secrets are not ours to know: each variable gets one that will do. */
const someSecret: Record<string, string> = {
  NATS_URL: 'nats://user:password@nats:4222',
  URL_SECRET: 'x'.repeat(32),
  URL_SECRET_ACCEPTED: 'y'.repeat(32),
  WEBHOOK_KEY: 'x'.repeat(32),
  WEBHOOK_KEY_ACCEPTED: 'y'.repeat(32),
  OPERATOR_KEY: 'x'.repeat(32),
};
/** Where all services are one process, a variable has the name of its service before its own. */
const ofService = new RegExp(`^(${Object.keys(services).join('|')})_`, 'i');
const secretOf = (name: string) =>
  someSecret[name.replace(ofService, '')] ??
  (name.endsWith('DATABASE_URL') ? 'postgres://user:password@postgres:5432/cardinal' : 'secret');

const environmentIn = ({ env = [] }: IContainer) =>
  Object.fromEntries<string>(env.map(({ name, value }) => [name, value ?? secretOf(name)] as const));

/** What the Postgres client and Node read themselves. */
const ofLibraries = new Set(['PGSSLMODE', 'NODE_EXTRA_CA_CERTS']);

/** What is wrong with the environment of a service, or of a program that is run once. */
const wrongOf = (schema: z.ZodObject, environment: Record<string, string | undefined>): string[] => [
  ...(schema.safeParse(environment).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
  // Each listens on loopback unless it is configured otherwise.
  ...Object.keys(schema.shape)
    .filter((name) => name.endsWith('HOST') && environment[name] !== '0.0.0.0')
    .map((name) => `nothing outside of its pod reaches it, ${name} is ${environment[name]}`),
];

/** What is wrong with that of all services in one process: each has its own, of variables with its name before them. */
const wrongTogether = (environment: Record<string, string>): string[] => [
  ...wrongOf(processConfig, environment),
  ...Object.entries(services).flatMap(([name, schema]) => wrongOf(schema, environmentOf(name, environment))),
];

/** Names of variables that all services in one process read. */
const readTogether = [
  ...Object.keys(processConfig.shape),
  ...Object.entries(services).flatMap(([name, { shape }]) =>
    Object.keys(shape).flatMap((one) => [`${name.toUpperCase()}_${one}`, ...(one === 'DATABASE_URL' ? [] : [one])]),
  ),
];

/** Each variable is one that its process reads, has a value that it takes, and none that it needs is missing. */
export const environmentsAreRead: Rule = (all) =>
  workloads(all).flatMap(({ title, containers }) =>
    containers
      .filter(({ image }) => ourImage(image))
      .flatMap((container) => {
        const isTogether = !container.args && ourImage(container.image) === 'all';
        const schema = schemaOf(container);
        if (!schema && !isTogether)
          return [`${title}: nothing is known of ${container.image} ${container.args?.join(' ') ?? ''}`];
        const environment = environmentIn(container);
        const read = schema ? Object.keys(schema.shape) : readTogether;
        const usesBucket = (environment.STORAGE_URL ?? environment.ATTACHMENT_STORAGE_URL)?.startsWith('s3:');
        // The AWS SDK reads its own variables itself, without a name before them.
        const isRead = (name: string) =>
          read.includes(name) || ofLibraries.has(name) || (usesBucket && name.startsWith('AWS_'));
        const usesDatabase = Object.keys(environment).some((name) => name.endsWith('DATABASE_URL'));
        return [
          ...Object.keys(environment)
            .filter((name) => !isRead(name))
            .map((name) => `nobody reads ${name}`),
          ...(environment.PGSSLMODE && !usesDatabase ? ['it has no database that PGSSLMODE would be of'] : []),
          ...(schema ? wrongOf(schema, environment) : wrongTogether(environment)),
        ].map((problem) => `${title}: ${problem}`);
      }),
  );
