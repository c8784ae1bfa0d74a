import { databaseOwners } from '@cardinal/contracts';
import { configSchemas } from '@cardinal/servers';
import type { IContainer } from 'kubernetes-models/v1';
import { z } from 'zod';
import { type Manifest, ofKind, type Rule, workloads } from '../manifest.ts';

const services: Record<string, z.ZodObject> = await configSchemas();
const { DATABASE_URL, NATS_URL, LOG_LEVEL } = services.card?.shape ?? {};

/** What reads which variables: programs that are run once, and the services. */
const programs: Record<string, z.ZodObject> = {
  'service/src/migrate.ts': z.object({ DATABASE_URL, LOG_LEVEL }),
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
};
const secretOf = (name: string) =>
  someSecret[name] ?? (name.endsWith('DATABASE_URL') ? 'postgres://user:password@postgres:5432/cardinal' : 'secret');

const environmentOf = (all: Manifest[], { env = [], envFrom = [] }: IContainer): Record<string, string> => ({
  ...Object.assign(
    {},
    ...envFrom.map(
      ({ configMapRef }) => ofKind(all, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef?.name)?.data,
    ),
  ),
  ...Object.fromEntries(env.map(({ name, value }) => [name, value ?? secretOf(name)])),
});

/** Each variable is one that its process reads, has a value that it takes, and none that it needs is missing. */
export const environmentsAreRead: Rule = (all) =>
  workloads(all).flatMap(({ title, containers }) =>
    containers
      .filter(({ image }) => image?.includes('cardinal/'))
      .flatMap((container) => {
        const schema = schemaOf(container);
        if (!schema) return [`${title}: nothing is known of ${container.image} ${container.args?.join(' ') ?? ''}`];
        const environment = environmentOf(all, container);
        const usesBucket = environment.STORAGE_URL?.startsWith('s3:');
        // The AWS SDK reads its own variables itself.
        const isRead = (name: string) => name in schema.shape || (usesBucket && name.startsWith('AWS_'));
        return [
          ...Object.keys(environment)
            .filter((name) => !isRead(name))
            .map((name) => `${title}: nobody reads ${name}`),
          ...(schema.safeParse(environment).error?.issues ?? []).map(
            ({ path, message }) => `${title}: ${path.join('.')}: ${message}`,
          ),
          // Each listens on loopback unless it is configured otherwise.
          ...Object.keys(schema.shape)
            .filter((name) => name.endsWith('HOST') && environment[name] !== '0.0.0.0')
            .map((name) => `${title}: nothing outside of its pod reaches it, ${name} is ${environment[name]}`),
        ];
      }),
  );
