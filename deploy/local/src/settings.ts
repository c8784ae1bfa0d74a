import { type ServiceName, serviceNames } from '@cardinal/contracts';
import { wrongSettings } from '@cardinal/runtime';
import { ConfigError, configSchemas, serviceEnvironment, variablesOf } from '@cardinal/servers';
import type { LocalConfig } from './config.ts';

const schemas = await configSchemas();

/** What `npm start` finds for each process itself. */
const ours = new Set(['PORT', 'HOST', 'DATABASE_URL', 'NATS_URL', 'NATS_CA']);
/** The variables that a service takes from the environment of `npm start`, as its own configuration names them. */
export const settingsOf = (service: ServiceName): string[] =>
  Object.keys(schemas[service].shape).filter((name) => !ours.has(name));

/** Those of them that the user has set. The rest of our environment, secrets maybe, is none of the service's business. */
export const chosenSettings = (service: ServiceName): Record<string, string> => {
  const names = new Set(settingsOf(service));
  const settings = variablesOf((name) => names.has(name));
  // The AWS SDK reads its credentials itself.
  const isBucket = settings.STORAGE_URL?.startsWith('s3:');
  return { ...variablesOf((name) => isBucket === true && name.startsWith('AWS_')), ...settings };
};

/** What `npm start` will find for every service, as far as its form goes. */
const foundLater = ({ tokens }: LocalConfig) =>
  serviceEnvironment({
    databaseUrl: 'postgres://127.0.0.1/cardinal',
    natsUrl: 'nats://127.0.0.1:4222',
    files: { folder: '/files', port: 0, secret: 'x'.repeat(32) },
    webhookKey: 'x'.repeat(32),
    jwks: tokens.keysFrom ? '' : '/jwks.json',
    operatorKey: 'x'.repeat(32),
  });

/**
 * Looks at what the user has set before anything starts: the service itself would say it seconds later, in its log.
 * @throws ConfigError with a line for each variable that its service would not take
 */
export const checkSettings = (config: LocalConfig): void => {
  // Those of the gateway first, since users know it.
  const problems = serviceNames
    .toReversed()
    .flatMap((name) => wrongSettings(schemas[name], { ...foundLater(config), ...chosenSettings(name) }));
  // One that several services read is named once.
  const byName = new Map(problems.map((line) => [line.split(':')[0], line]));
  if (byName.size > 0) throw new ConfigError([...byName.values()].join('\n'));
};
