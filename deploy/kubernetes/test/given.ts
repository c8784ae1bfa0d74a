import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOwners, serviceNames } from '@cardinal/contracts';
import { kubernetesFolder, parseManifests } from './kubectl.ts';
import type { Given } from './manifest.ts';

export const overlays = ['local', 'production', 'together'] as const;
export type Overlay = (typeof overlays)[number];

const names = ['kube-system/kube-dns:53', '169.254.20.10/32:53'];

/** The pods of an overlay whose services are one process each; those that own databases, and those of single services. */
const apart = { all: serviceNames, owners: databaseOwners, attachment: 'attachment', event: 'event' } as const;
/** Where all services are one process. */
const together = { all: ['gateway'], owners: ['gateway'], attachment: 'gateway', event: 'gateway' } as const;
type Pods = typeof apart | typeof together;

/** The connections of every deployment (ARCHITECTURE, "Who talks to whom"), with the servers' own names. */
const everywhere = ({ all, owners, event }: Pods, nats: string, postgres: string) => [
  ...[...all, 'registers', 'doctor'].map((name) => `${name} -> ${nats}`),
  ...[...owners, 'migrate', 'doctor'].map((name) => `${name} -> ${postgres}`),
  ...[...all, 'registers', 'migrate', 'doctor'].flatMap((name) => names.map((place) => `${name} -> ${place}`)),
  `${event} -> outside:443`,
];

const example = (file: string) =>
  parseManifests(readFileSync(join(kubernetesFolder, 'overlays/production', file), 'utf8')) as unknown as {
    metadata: { name: string };
    spec: { data?: { secretKey: string }[]; postgresql?: { parameters: { max_connections: string } } };
  }[];

const inProduction = (pods: Pods): Given => ({
  brought: new Set(
    example('external-secrets.example.yaml').flatMap(({ metadata, spec }) =>
      (spec.data ?? []).map(({ secretKey }) => `Secret ${metadata.name}/${secretKey}`),
    ),
  ),
  maxConnections: Number(example('postgres.example.yaml')[0]?.spec.postgresql?.parameters.max_connections),
  leastPods: 2,
  cores: 6,
  connections: [
    ...everywhere(pods, 'nats/nats:4222', 'postgres/cardinal:5432'),
    'nginx-ingress/* -> gateway:8080',
    `nginx-ingress/* -> ${pods.attachment}:8081`,
    'gateway -> outside:443',
    `${pods.attachment} -> outside:443`,
    'gateway -> keycloak/keycloak:8443',
    `${pods.attachment} -> minio/minio:9000`,
    `${pods.attachment} -> clamav/clamd:3310`,
    'monitoring/prometheus -> gateway:9464',
    ...(pods === apart ? databaseOwners.map((owner) => `monitoring/prometheus -> ${owner}:8080`) : []),
  ],
});

/** What the rules know of an overlay beside its objects. */
export const given = (overlay: Overlay): Given =>
  overlay === 'local'
    ? {
        brought: new Set(['ConfigMap development-keys']),
        leastPods: 1,
        // A node of two, half of which kind's own pods request.
        cores: 1,
        connections: [
          ...everywhere(apart, 'nats:4222', 'postgres:5432'),
          ...['nats', 'postgres'].flatMap((server) => names.map((place) => `${server} -> ${place}`)),
        ],
      }
    : inProduction(overlay === 'together' ? together : apart);
