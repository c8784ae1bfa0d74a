import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOwners, serviceNames } from '@cardinal/contracts';
import { kubernetesFolder, parseManifests, type ValueSet } from './helm.ts';
import type { Given } from './manifest.ts';

const names = ['kube-system/kube-dns:53', '169.254.20.10/32:53'];

/** The pods of a rendering whose services are one process each; those that own databases, and those of single services. */
const apart = { all: serviceNames, owners: databaseOwners, attachment: 'attachment', event: 'event' } as const;
/** Where all services are one process. */
const together = { all: ['gateway'], owners: ['gateway'], attachment: 'gateway', event: 'gateway' } as const;
type Pods = typeof apart | typeof together;

const namesFor = (pods: readonly string[]) => pods.flatMap((name) => names.map((place) => `${name} -> ${place}`));

/** The connections of every deployment (ARCHITECTURE, "Who talks to whom"), with the servers' own names. */
const everywhere = ({ all, owners, event }: Pods, nats: string, postgres: string) => [
  ...[...all, 'registers', 'doctor'].map((name) => `${name} -> ${nats}`),
  ...[...owners, 'migrate', 'doctor'].map((name) => `${name} -> ${postgres}`),
  ...namesFor([...all, 'registers', 'migrate', 'doctor']),
  `${event} -> outside:443`,
];

const example = (file: string) =>
  parseManifests(readFileSync(join(kubernetesFolder, 'servers', file), 'utf8')) as unknown as {
    metadata: { name: string };
    spec: { data?: { secretKey: string }[]; postgresql?: { parameters: { max_connections: string } } };
  }[];

/** What External Secrets bring. */
export const externalSecrets = new Set(
  example('external-secrets.example.yaml').flatMap(({ metadata, spec }) =>
    (spec.data ?? []).map(({ secretKey }) => `Secret ${metadata.name}/${secretKey}`),
  ),
);

/** Those that clients and Prometheus open. */
const fromOutside = (pods: Pods, clients = 'nginx-ingress') => [
  `${clients}/* -> gateway:8080`,
  `${clients}/* -> ${pods.attachment}:8081`,
  'monitoring/prometheus -> gateway:9464',
  ...(pods === apart ? databaseOwners.map((owner) => `monitoring/prometheus -> ${owner}:8080`) : []),
];

const onOwnCluster = (pods: Pods): Given => ({
  brought: new Set(),
  leastPods: 1,
  // A node of two, half of which kind's own pods request.
  cores: 1,
  connections: [
    ...everywhere(pods, 'nats:4222', 'postgres:5432'),
    ...namesFor(['nats', 'postgres']),
    ...fromOutside(pods),
  ],
});

const inProduction = (
  pods: Pods,
  { clients, issuer = true, more = [] }: { clients?: string; issuer?: boolean; more?: string[] } = {},
): Given => ({
  brought: new Set([
    ...externalSecrets,
    ...['nats-ca', 'cardinal-ca'].map((name) => `Secret ${name}/ca.crt`),
    ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((key) => `Secret bucket-backup-credentials/${key}`),
  ]),
  maxConnections: Number(example('postgres.example.yaml')[0]?.spec.postgresql?.parameters.max_connections),
  leastPods: 2,
  cores: 6,
  connections: [
    ...everywhere(pods, 'nats/nats:4222', 'postgres/cardinal:5432'),
    ...fromOutside(pods, clients),
    ...(issuer ? ['gateway -> outside:443'] : []),
    `${pods.attachment} -> outside:443`,
    ...more,
  ],
});

/** What the rules know of a rendering beside its objects. */
export const given: Record<ValueSet, Given> = {
  local: onOwnCluster(apart),
  small: onOwnCluster(together),
  production: inProduction(apart),
  together: inProduction(together),
  mirror: inProduction(apart),
  'gateway-api': inProduction(apart, { clients: 'gateway' }),
  keys: inProduction(apart, { issuer: false }),
  monitoring: inProduction(apart, { more: [...namesFor(['bucket-backup']), 'bucket-backup -> outside:443'] }),
  inside: inProduction(apart, {
    more: [
      'gateway -> keycloak/keycloak:8443',
      'attachment -> minio/minio:9000',
      'attachment -> clamav/clamd:3310',
      ...[...serviceNames, 'registers', 'migrate', 'doctor'].map((name) => `${name} -> tracing/*:4318`),
    ],
  }),
};
