import { databaseOwners, descriptionOf, serviceNames } from '@cardinal/contracts';
import { lines } from '@cardinal/testkit';

const others = serviceNames.filter((name) => name !== 'gateway');
const listeners = serviceNames
  .flatMap((name) => descriptionOf(name).listeners)
  .filter(({ for: reachedBy, name }) => reachedBy === 'clients' || name === 'metrics');
const registry = 'registry.example.com/cardinal';

/** `overlays/together/kustomization.yaml` */
export const togetherKustomization = {
  images: lines(serviceNames.map((name) => `- { name: ${registry}/${name}, newName: ${registry}/all }`)),
  services: `values: [${serviceNames.join(', ')}]`,
  others: `name: ${others.join('|')}`,
  migrations: lines(
    databaseOwners.map((owner) =>
      lines(
        `- target: { kind: Job, name: migrate-${owner}-.* }`,
        '  patch: |',
        `    - { op: replace, path: /spec/template/spec/containers/0/args/0, value: services/${owner}/src/migrate.ts }`,
      ),
    ),
  ),
};

/** `overlays/together/gateway.yaml` */
export const togetherDeployment = {
  ports: lines(listeners.map(({ name, port }) => `- { name: ${name}, containerPort: ${port} }`)),
  settings: lines(
    serviceNames.flatMap((name) => {
      const prefix = `${name.toUpperCase()}_`;
      return [
        ...(descriptionOf(name).settings ? [`- { prefix: ${prefix}, configMapRef: { name: ${name}-settings } }`] : []),
        `- { prefix: ${prefix}, secretRef: { name: ${name}-credentials } }`,
      ];
    }),
  ),
  listeners: lines(
    listeners.flatMap(({ variables, port }) => [
      `- { name: ${variables}HOST, value: 0.0.0.0 }`,
      `- { name: ${variables}PORT, value: "${port}" }`,
    ]),
  ),
};
