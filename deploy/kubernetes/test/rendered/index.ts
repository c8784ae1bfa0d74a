import { join } from 'node:path';
import { containerConfig } from '@cardinal/servers';
import { withRendered } from '@cardinal/testkit';
import { kubernetesFolder } from '../helm.ts';
import { copyOf, servicesFile, valuesOfServices } from './chart.ts';
import * as lists from './lists.ts';
import { valuesSchema } from './values-schema.ts';

const regions = (file: string, made: Record<string, string>): [string, () => string] => [
  file,
  () => withRendered(join(kubernetesFolder, file), made),
];

/** What follows from the description of the services, and from files elsewhere, file by file. */
export const rendered: Record<string, () => string | Promise<string>> = Object.fromEntries([
  ['chart/files/services.yaml', servicesFile],
  regions('chart/values.yaml', { services: valuesOfServices }),
  ['chart/values.schema.json', valuesSchema],
  ['chart/files/alerts.yml', copyOf('alerts.yml')],
  ['chart/files/dashboard.json', copyOf('dashboard.json')],
  ['chart/files/nats.conf', () => containerConfig('/data')],
  regions('chart/files/roles.sql', { roles: lists.roles }),
  ['chart/files/passwords.sql', lists.rolePasswords],
  regions('servers/external-secrets.example.yaml', { services: lists.externalSecrets }),
  regions('servers/nats-values.example.yaml', { users: lists.brokerPasswords }),
  ['servers/nats-accounts.yaml', lists.brokerAccounts],
  regions('servers/postgres.example.yaml', { roles: lists.managedRoles, connections: lists.maxConnections }),
]);
