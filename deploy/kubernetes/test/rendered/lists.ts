import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessOf, busUserNames } from '@cardinal/bus';
import { databaseOwners, descriptionOf, type ServiceName, serviceNames } from '@cardinal/contracts';
import { passwordVariable, repository } from '@cardinal/servers';
import { connectionsFor, lines, renderedHeader } from '@cardinal/testkit';
import { stringify } from 'yaml';
import { fromSecret } from './manifest.ts';

const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
const images = [...serviceNames, 'deploy'];

const shown = (names: readonly string[]) => `values: [${names.join(', ')}]`;
/** Pods that talk to the servers. */
export const clientsOf = {
  nats: shown([...serviceNames, 'registers', 'doctor']),
  postgres: shown([...databaseOwners, 'migrate', 'doctor']),
};

/** `base/services/kustomization.yaml` */
export const resources = (): string => `# ${renderedHeader}
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization

resources:
${lines(serviceNames.map((name) => `  - ${name}.yaml`))}
`;

const nameAfterImage = (job: string, image: string) => `  - source:
      {
        kind: Job,
        name: ${job}-revision,
        fieldPath: "spec.template.spec.containers.[name=once].image",
        options: { delimiter: "${image}:", index: 1 },
      }
    targets:
      - {
          select: { kind: Job, name: ${job}-revision },
          fieldPaths: [metadata.name],
          options: { delimiter: "-", index: 2 },
        }`;

/** `revisions/kustomization.yaml` */
export const revisions = (): string => `# ${renderedHeader}
# The name of each Job ends with the tag of its image: a new revision brings new Jobs, and what was run stays as it was.
# An overlay's last component, since it reads the tags that the overlay's release gives.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component

replacements:
${lines(databaseOwners.map((owner) => nameAfterImage(`migrate-${owner}`, owner)))}
${nameAfterImage('declare-registers', 'deploy')}
`;

/** `overlays/*\/release/kustomization.yaml`: `newName` is what else an overlay says of an image. */
export const release = (newName: (image: string) => string): string => `# ${renderedHeader}
# What a release changes, and nothing else: the tag of each image. A service may be released alone.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component

images:
${lines(images.map((name) => `  - { name: cardinal/${name}, ${newName(name)}newTag: "${version}" }`))}
`;

const variableOf = (name: string, what: string) => `${name.toUpperCase()}_${what}`;

/** The passwords of the servers' users on a cluster of one's own. */
export const passwords = {
  postgres: lines(databaseOwners.map((owner) => `- ${variableOf(owner, 'PASSWORD')}=development`)),
  nats: lines(busUserNames.map((user) => `- ${variableOf(user, 'NATS_PASSWORD')}=development`)),
};

/** What each service is given there. */
export const credentials = lines(
  serviceNames.map((name) =>
    lines(
      `- name: ${name}-credentials`,
      '  literals:',
      descriptionOf(name).database &&
        `    - DATABASE_URL=postgres://cardinal_${name}:development@postgres:5432/cardinal`,
      `    - NATS_URL=nats://${name}:development@nats:4222`,
      descriptionOf(name)
        .secrets.filter(({ optional }) => !optional)
        .map((secret) => `    - ${secret.name}=development-secret-of-${name}-and-nobody-else`),
    ),
  ),
);

/** The same as External Secrets bring it. */
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
      `    # tls://${name}:…@nats.nats.svc:4222, with NATS_CA (README.md, "NATS")`,
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

/** With as many pods of each service as there may be, in production and on the local cluster (`one-pod-each.yaml`). */
export const maxConnections = {
  production: `max_connections: "${connectionsFor((owner) => descriptionOf(owner).size.maxPods)}"`,
  local: `args: [-c, max_connections=${connectionsFor(() => 2)}]`,
};

/** The databases that the doctor reads. */
export const doctorDatabases = lines(
  databaseOwners.flatMap((owner) => fromSecret(owner, 'DATABASE_URL', variableOf(owner, 'DATABASE_URL'))),
);

/** What `servers/roles.sql` makes for each. */
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

/** `servers/passwords.sql` */
export const rolePasswords = (): string => `-- ${renderedHeader}
-- psql reads them from the environment of the server's container.
${lines(databaseOwners.map((owner) => `\\getenv ${owner} ${variableOf(owner, 'PASSWORD')}`))}
${lines(databaseOwners.map((owner) => `alter role cardinal_${owner} password :'${owner}';`))}
`;

const policy = (name: string, who: string, from: readonly string[], port: string) =>
  lines(
    'apiVersion: networking.k8s.io/v1',
    'kind: NetworkPolicy',
    'metadata:',
    `  name: ${name}`,
    'spec:',
    '  podSelector:',
    '    matchExpressions:',
    '      - key: app.kubernetes.io/name',
    '        operator: In',
    `        ${who}`,
    '  policyTypes: [Ingress]',
    '  ingress:',
    '    - from:',
    from.map((line) => `        ${line}`),
    '      ports:',
    `        - { protocol: TCP, port: ${port} }`,
    '---',
  );

const ofListeners = (reachedBy: 'clients' | 'prometheus') => {
  const byPort = new Map<string, ServiceName[]>();
  for (const name of serviceNames) {
    for (const listener of descriptionOf(name).listeners) {
      if (listener.for === reachedBy) byPort.set(listener.name, [...(byPort.get(listener.name) ?? []), name]);
    }
  }
  return [...byPort];
};

/** The policies for clients outside, by port. */
export const fromOutside = lines(
  ofListeners('clients').map(([port, names]) =>
    policy(
      `from-ingress-to-${port}`,
      shown(names),
      ['- namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: nginx-ingress } }'],
      port,
    ),
  ),
  ofListeners('prometheus').map(([port, names]) =>
    policy(
      `from-prometheus-to-${port}`,
      shown(names),
      [
        '- namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: monitoring } }',
        '  podSelector: { matchLabels: { app.kubernetes.io/name: prometheus } }',
      ],
      port,
    ),
  ),
);
