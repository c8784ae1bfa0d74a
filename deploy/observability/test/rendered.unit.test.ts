import { join } from 'node:path';
import { descriptionOf, type ServiceName, serviceNames } from '@cardinal/contracts';
import { lines, withRendered } from '@cardinal/testkit';
import { expect, it } from 'vitest';
import { folder, withSections } from './expressions.ts';

/** The port at which a service serves its metrics. */
const metricsOf = (name: ServiceName) => descriptionOf(name).listeners.find((one) => one.for === 'prometheus')?.port;

/** What a service shows from when it can work, as long as it does. */
const metricOf = (name: ServiceName) =>
  descriptionOf(name).database ? 'cardinal_database_connections' : 'cardinal_streams_max';

/** `attachment` is a name of all services, too, where they are one process: this one is of the process that it has alone. */
const nameInNetwork = (name: ServiceName) => (name === 'attachment' ? 'attachment-health' : name);

const ports = [...new Set(serviceNames.map(metricsOf))];

it.each([
  [
    'prometheus.yml',
    ports.map((port) => [
      `- names: [${serviceNames
        .filter((name) => metricsOf(name) === port)
        .map(nameInNetwork)
        .join(', ')}]`,
      '  type: A',
      `  port: ${port}`,
      '  refresh_interval: 10s',
    ]),
  ],
  [
    'alerts.yml',
    [serviceNames.map((name, at) => `${at === 0 ? '' : 'or '}absent(${metricOf(name)}{service="${name}"})`)],
  ],
])('%s follows from what the services are', async (file, services) => {
  const path = join(folder, file);
  await expect(withRendered(path, { services: lines(...services) })).toMatchFileSnapshot(path);
});

it('alerts.yml says of each alert what its section of the README begins with', async () => {
  await expect(withSections()).toMatchFileSnapshot(join(folder, 'alerts.yml'));
});
