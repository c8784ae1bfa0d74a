import { join } from 'node:path';
import { serviceNames } from '@cardinal/contracts';
import { containerConfig } from '@cardinal/servers';
import { withRendered } from '@cardinal/testkit';
import { kubernetesFolder } from '../kubectl.ts';
import * as lists from './lists.ts';
import { manifestOf } from './manifest.ts';
import { togetherDeployment, togetherKustomization } from './together.ts';

const regions = (file: string, made: Record<string, string>): [string, () => string] => [
  file,
  () => withRendered(join(kubernetesFolder, file), made),
];

/** What follows from the description of the services, file by file. */
export const rendered: Record<string, () => string> = Object.fromEntries([
  ...serviceNames.map((name): [string, () => string] => [`base/services/${name}.yaml`, () => manifestOf(name)]),
  ['base/services/kustomization.yaml', lists.resources],
  regions('base/network.yaml', lists.clientsOf),
  regions('base/doctor.yaml', { databases: lists.doctorDatabases }),
  ['revisions/kustomization.yaml', lists.revisions],
  ['overlays/local/release/kustomization.yaml', () => lists.release(() => '')],
  regions('overlays/local/credentials/kustomization.yaml', { ...lists.passwords, services: lists.credentials }),
  [
    'overlays/production/release/kustomization.yaml',
    () => lists.release((image) => `newName: registry.example.com/cardinal/${image}, `),
  ],
  regions('overlays/production/external-secrets.example.yaml', { services: lists.externalSecrets }),
  regions('overlays/production/nats-values.example.yaml', { users: lists.brokerPasswords }),
  regions('overlays/production/postgres.example.yaml', {
    roles: lists.managedRoles,
    connections: lists.maxConnections.production,
  }),
  regions('overlays/production/network.yaml', { ingress: lists.fromOutside }),
  regions('overlays/together/kustomization.yaml', togetherKustomization),
  regions('overlays/together/gateway.yaml', togetherDeployment),
  ['servers/nats.conf', () => containerConfig('/data')],
  ['overlays/production/nats-accounts.yaml', lists.brokerAccounts],
  regions('servers/nats.yaml', { clients: lists.clientsOf.nats }),
  regions('servers/postgres.yaml', { clients: lists.clientsOf.postgres, connections: lists.maxConnections.local }),
  regions('servers/roles.sql', { roles: lists.roles }),
  ['servers/passwords.sql', lists.rolePasswords],
]);
