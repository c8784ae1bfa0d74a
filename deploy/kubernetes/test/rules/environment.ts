import { databaseOwners } from '@cardinal/contracts';
import { environmentOf, processConfig } from '@cardinal/host';
import { configSchemas } from '@cardinal/servers';
import type { IContainer } from 'kubernetes-models/v1';
import { z } from 'zod';
import { type Given, type Manifest, ofKind, type Rule, workloads } from '../manifest.ts';

const services: Record<string, z.ZodObject> = await configSchemas();
const { DATABASE_URL, NATS_URL, LOG_LEVEL } = services.card?.shape ?? {};

/** What reads which variables: programs that are run once, and the services. */
const programs: Record<string, z.ZodObject> = {
  'service/src/migrate.ts': z.object({ DATABASE_URL, LOG_LEVEL }),
  ...Object.fromEntries(
    databaseOwners.map((owner) => [`services/${owner}/src/migrate.ts`, z.object({ DATABASE_URL, LOG_LEVEL })]),
  ),
  'service/src/registers.ts': z.object({ NATS_URL, LOG_LEVEL }),
  'deploy/doctor/src/main.ts': z.object({
    ...Object.fromEntries(databaseOwners.map((owner) => [`${owner.toUpperCase()}_DATABASE_URL`, DATABASE_URL])),
    NATS_URL,
    LOG_LEVEL,
  }),
};

const schemaOf = ({ image = '', args }: IContainer): z.ZodObject | undefined => {
  const [, name = ''] = /cardinal\/([\w-]+):/.exec(image) ?? [];
  return args ? programs[args.join(' ')] : services[name];
};

/** Values of Secrets are not ours to know: each variable gets one that will do. */
const someSecret: Record<string, string> = {
  NATS_URL: 'nats://user:password@nats:4222',
  URL_SECRET: 'x'.repeat(32),
  URL_SECRET_ACCEPTED: 'y'.repeat(32),
  WEBHOOK_KEY: 'x'.repeat(32),
  WEBHOOK_KEY_ACCEPTED: 'y'.repeat(32),
  OPERATOR_KEY: 'x'.repeat(32),
};
const secretOf = (name: string) =>
  someSecret[name] ?? (name.endsWith('DATABASE_URL') ? 'postgres://user:password@postgres:5432/cardinal' : 'secret');

/** Keys of a Secret, of the overlay or brought. */
const keysOf = (all: Manifest[], { brought }: Given, secret = ''): string[] => {
  const own = ofKind(all, 'Secret').find(({ metadata }) => metadata.name === secret)?.data;
  return own ? Object.keys(own) : [...brought].flatMap((one) => one.split(`Secret ${secret}/`)[1] ?? []);
};

const environmentIn = (all: Manifest[], given: Given, { env = [], envFrom = [] }: IContainer) => {
  const imported = envFrom.flatMap(({ prefix = '', configMapRef, secretRef }) => {
    const settings = ofKind(all, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef?.name)?.data ?? {};
    const secrets = secretRef ? keysOf(all, given, secretRef.name).map((key) => [key, secretOf(key)] as const) : [];
    return [...Object.entries(settings), ...secrets].map(([name, value]) => [`${prefix}${name}`, value] as const);
  });
  const own = env.map(({ name, value }) => [name, value ?? secretOf(name)] as const);
  return Object.fromEntries<string>([...imported, ...own]);
};

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
export const environmentsAreRead: Rule = (all, given) =>
  workloads(all).flatMap(({ title, containers }) =>
    containers
      .filter(({ image }) => image?.includes('cardinal/'))
      .flatMap((container) => {
        const isTogether = !container.args && container.image?.includes('cardinal/all:');
        const schema = schemaOf(container);
        if (!schema && !isTogether)
          return [`${title}: nothing is known of ${container.image} ${container.args?.join(' ') ?? ''}`];
        const environment = environmentIn(all, given, container);
        const read = schema ? Object.keys(schema.shape) : readTogether;
        const bucket = environment.STORAGE_URL ?? environment.ATTACHMENT_STORAGE_URL;
        const usesBucket = bucket?.startsWith('s3:');
        // The AWS SDK reads its own variables itself, without a name before them. A whole Secret or ConfigMap has them with it.
        const isRead = (name: string) => read.includes(name) || (usesBucket && /^(ATTACHMENT_)?AWS_/.test(name));
        const unnamed = Object.keys(environment).flatMap((name) => /^ATTACHMENT_(AWS_.*)/.exec(name)?.[1] ?? []);
        return [
          ...Object.keys(environment)
            .filter((name) => !isRead(name))
            .map((name) => `nobody reads ${name}`),
          ...unnamed.filter((name) => !(name in environment)).map((name) => `the AWS SDK does not find ${name}`),
          ...(schema ? wrongOf(schema, environment) : wrongTogether(environment)),
        ].map((problem) => `${title}: ${problem}`);
      }),
  );
