import { accessOf, busUserNames } from '@cardinal/bus';
import { databaseOwners, descriptionOf, serviceNames } from '@cardinal/contracts';
import { passwordVariable } from '@cardinal/servers';
import { connectionsFor, lines, renderedHeader } from '@cardinal/testkit';
import { stringify } from 'yaml';

const variableOf = (name: string, what: string) => `${name.toUpperCase()}_${what}`;

/** What each service is given, as External Secrets bring it. */
export const externalSecrets = lines(
  serviceNames.map((name) => {
    const { database, secrets } = descriptionOf(name);
    const from = (key: string) =>
      `    - { secretKey: ${key}, remoteRef: { key: cardinal/${name}, property: ${key.toLowerCase()} } }`;
    return lines(
      'apiVersion: external-secrets.io/v1',
      'kind: ExternalSecret',
      'metadata:',
      `  name: ${name}-credentials`,
      '  namespace: cardinal',
      'spec:',
      '  secretStoreRef: { kind: ClusterSecretStore, name: vault }',
      `  target: { name: ${name}-credentials }`,
      '  data:',
      database && [`    # postgres://cardinal_${name}:…@cardinal-rw.postgres.svc:5432/cardinal`, from('DATABASE_URL')],
      `    # tls://${name}:…@nats.nats.svc:4222, with nats.ca of the chart`,
      from('NATS_URL'),
      secrets.flatMap((secret) => [`    # ${secret.about}`, from(secret.name)]),
      '---',
    );
  }),
);

/** Users of the NATS chart's server. */
export const brokerPasswords = lines(
  busUserNames.map(
    (user) =>
      `${variableOf(user, 'NATS_PASSWORD')}: { valueFrom: { secretKeyRef: { name: nats-users, key: ${user} } } }`,
  ),
);

/** The same users with what each may do, as values of the NATS chart. */
export const brokerAccounts = (): string => {
  const users = busUserNames.map((user) => {
    const { publish, subscribe, responses } = accessOf(user);
    const permissions = { publish: { allow: publish }, subscribe: { allow: subscribe }, allow_responses: responses };
    return { user, password: `<< ${passwordVariable(user)} >>`, permissions };
  });
  const values = { config: { merge: { accounts: { CARDINAL: { jetstream: 'enabled', users } } } } };
  return `# Follows from the contracts: npm test -- -u writes it anew.\n${stringify(values, { lineWidth: 0 })}`;
};

/** Roles of the CloudNativePG Cluster. */
export const managedRoles = lines(
  databaseOwners.map(
    (owner) =>
      `- { name: cardinal_${owner}, ensure: present, login: true, passwordSecret: { name: cardinal-${owner} } }`,
  ),
);

/** With as many pods of each service as there may be. */
export const maxConnections = `max_connections: "${connectionsFor((owner) => descriptionOf(owner).size.maxPods)}"`;

/** What `chart/files/roles.sql` makes for each. */
export const roles = databaseOwners
  .map((owner) =>
    lines(
      `create role cardinal_${owner} login;`,
      `alter role cardinal_${owner} set search_path = ${owner};`,
      `alter role cardinal_${owner} set lock_timeout = '2s';`,
      `alter role cardinal_${owner} set statement_timeout = '10s';`,
      `alter role cardinal_${owner} set idle_in_transaction_session_timeout = '10s';`,
      `create schema ${owner} authorization cardinal_${owner};`,
    ),
  )
  .join('\n\n');

/** `chart/files/passwords.sql` */
export const rolePasswords = (): string => `-- ${renderedHeader}
-- psql reads them from the environment of the server's container.
${lines(databaseOwners.map((owner) => `\\getenv ${owner} ${variableOf(owner, 'PASSWORD')}`))}
${lines(databaseOwners.map((owner) => `alter role cardinal_${owner} password :'${owner}';`))}
`;
