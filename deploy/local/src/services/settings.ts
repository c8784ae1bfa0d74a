import { configSchema as attachment } from '@cardinal/attachment/config';
import { configSchema as card } from '@cardinal/card/config';
import { configSchema as dependency } from '@cardinal/dependency/config';
import { configSchema as gateway } from '@cardinal/gateway/config';
import { configSchema as identifier } from '@cardinal/identifier/config';
import { chosen } from '../config.ts';

const schemas = { gateway, card, identifier, dependency, attachment };
type ServiceName = keyof typeof schemas;

/** What `npm start` finds for each process itself. */
const ours = new Set(['PORT', 'HOST', 'DATABASE_URL', 'NATS_URL']);
/** The variables that a service takes from the environment of `npm start`, as its own configuration names them. */
export const settingsOf = (service: ServiceName): string[] =>
  Object.keys(schemas[service].shape).filter((name) => !ours.has(name));

/** Those of them that the user has set. The rest of our environment, secrets maybe, is none of the service's business. */
export const chosenSettings = (service: ServiceName): Record<string, string> => {
  const names = new Set(settingsOf(service));
  const settings = chosen((name) => names.has(name));
  // The AWS SDK reads its credentials itself.
  return settings.STORAGE_URL?.startsWith('s3:')
    ? { ...chosen((name) => name.startsWith('AWS_')), ...settings }
    : settings;
};
