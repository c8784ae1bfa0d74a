import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { busUserNames } from '@cardinal/bus';
import { askedBy, descriptionOf, type Secret, type ServiceName, serviceNames } from '@cardinal/contracts';
import { repository } from '@cardinal/servers';
import { connectionsFor, lines, renderedHeader } from '@cardinal/testkit';
import { stringify } from 'yaml';

/** A process with a database says of that whether it is ready; one without, of the broker: not of the services that it asks. */
const readinessOf = (name: ServiceName) =>
  descriptionOf(name).database
    ? '/readyz'
    : `/readyz?${askedBy(name)
        .map((one) => `exclude=${one}`)
        .join('&')}`;

/** `made`: deployments make one, as far as the chart brings Secrets. The one of a rotation is there for its time. */
const secretsOf = ({ name, accepted, optional, mayBeEmpty }: Secret) => [
  { name, optional: optional === true || mayBeEmpty === true, made: optional !== true },
  ...(accepted === undefined ? [] : [{ name: accepted, optional: true, made: false }]),
];

/** `chart/files/services.yaml`: what the templates know of the services. */
export const servicesFile = (): string => {
  const services = serviceNames.map((name) => {
    const { about, database, listeners, secrets, size } = descriptionOf(name);
    return {
      name,
      about,
      database,
      webhooks: secrets.some((secret) => secret.name === 'WEBHOOK_KEY'),
      readiness: readinessOf(name),
      ports: listeners.map((one) => ({
        name: one.name,
        port: one.port,
        variables: one.variables,
        clients: one.for === 'clients',
      })),
      secrets: secrets.flatMap(secretsOf),
      size,
    };
  });
  // Two pods of each, at most, on a cluster of one's own.
  const data = { localConnections: connectionsFor(() => 2), brokerUsers: busUserNames, services };
  return `# ${renderedHeader}\n${stringify(data, { lineWidth: 0 })}`;
};

/** The services in `chart/values.yaml`. */
export const valuesOfServices = lines(
  serviceNames.map((name) => {
    const { about, size } = descriptionOf(name);
    const room = `${size.cpu}, ${size.memory} to ${size.maxMemory}, up to ${size.maxPods} pods`;
    return lines(`# ${about}: ${room}`, `${name}: {}`);
  }),
);

/** A file of `deploy/observability` as it is: a chart reads only its own folder. */
export const copyOf = (file: string) => (): string =>
  readFileSync(join(repository, 'deploy/observability', file), 'utf8');
