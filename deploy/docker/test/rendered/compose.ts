import { busUserNames } from '@cardinal/bus';
import {
  askedBy,
  databaseOwners,
  descriptionOf,
  type Secret,
  type ServiceName,
  serviceNames,
} from '@cardinal/contracts';
import { configSchemas } from '@cardinal/servers';
import { connectionsFor, lines } from '@cardinal/testkit';
import { readText, writtenByHand } from '../compose-file.ts';

const { version } = JSON.parse(readText('package.json')) as { version: string };

/** A value that must be given, as the message says, and one that may be left out. */
const given = (variable: string) => `\${${variable}:?run sh deploy/docker/env.sh}`;
/** The same of a value that may be empty. */
const named = (variable: string) => `\${${variable}?run sh deploy/docker/env.sh}`;
const ifGiven = (variable: string) => `\${${variable}:-}`;

const variableOf = (name: string, what: string) => `${name.toUpperCase()}_${what}`;
const databaseUrl = (owner: string, password = `\${${variableOf(owner, 'DATABASE_PASSWORD')}}`) =>
  `postgres://cardinal_${owner}:${password}@\${POSTGRES_SERVER:-postgres:5432}/cardinal\${POSTGRES_OPTIONS:-}`;

const imageOf = (name: ServiceName) =>
  lines(
    `x-${name}: &${name}`,
    `  image: \${CARDINAL_IMAGES:-cardinal}/${name}:\${CARDINAL_VERSION:-${version}}`,
    `  pull_policy: \${CARDINAL_PULL:-never}`,
    descriptionOf(name).database && [
      `x-${name}-database: &${name}-database`,
      `  DATABASE_URL: ${databaseUrl(name, given(variableOf(name, 'DATABASE_PASSWORD')))}`,
    ],
  );

const migrationOf = (name: ServiceName) =>
  lines(
    `migrate-${name}:`,
    `  <<: [*apart-job, *${name}, *after-roles]`,
    '  command: [service/src/migrate.ts]',
    `  environment: { <<: *${name}-database }`,
    `together-migrate-${name}:`,
    '  <<: [*together-job, *all, *after-roles]',
    `  command: [services/${name}/src/migrate.ts]`,
    `  environment: { <<: *${name}-database }`,
  );

const natsUrl = (name: ServiceName) =>
  `nats://${name}:\${${variableOf(name, 'NATS_PASSWORD')}}@\${NATS_SERVER:-nats:4222}`;

const secretOf = ({ name, optional, mayBeEmpty }: Secret) =>
  optional ? ifGiven(name) : mayBeEmpty ? named(name) : given(name);
const secretsOf = (name: ServiceName) =>
  descriptionOf(name).secrets.flatMap((secret) => [
    `${secret.name}: ${secretOf(secret)}`,
    ...(secret.accepted ? [`${secret.accepted}: ${ifGiven(secret.accepted)}`] : []),
  ]);

const listeners = new Map(
  serviceNames.flatMap((name) => descriptionOf(name).listeners.map((one) => [one.variables, one])),
);

/** What no line of `.env` changes: the stack says where servers and ports are, and the rest is for tests. */
export const fixedVariables: readonly string[] = [
  ...[...listeners.keys()].flatMap((prefix) => [`${prefix}HOST`, `${prefix}PORT`]),
  'DATABASE_URL',
  'NATS_URL',
  'NATS_CA',
  'NODE_ENV',
  'SCRATCH_FOLDER',
  'CHECK_REPLIES',
  'FAILPOINT',
];

const schemas = await configSchemas();

/** The variables of a service that the compose file passes on without a default or a rule of its own. */
const variablesOf = (name: ServiceName): string[] => {
  const secrets = descriptionOf(name).secrets.flatMap((secret) => [secret.name, secret.accepted]);
  const others = [...fixedVariables, ...secrets, ...writtenByHand('common'), ...writtenByHand(`${name}-settings`)];
  return Object.keys(schemas[name].shape).filter((variable) => !others.includes(variable));
};

const passedTo = (name: ServiceName) =>
  lines(
    `x-${name}-variables: &${name}-variables`,
    variablesOf(name).map((variable) => `  ${variable}: ${ifGiven(variable)}`),
  );

/** Of all services in one process. Those of which each has its own have its name before them. */
const togetherEnvironment = () => {
  const settings = serviceNames.filter((name) => descriptionOf(name).settings).map((name) => `*${name}-settings`);
  return lines(
    '<<:',
    '  [',
    [...settings, '*common', ...serviceNames.map((name) => `*${name}-variables`)].map((alias) => `    ${alias},`),
    '  ]',
    databaseOwners.map((owner) => `${variableOf(owner, 'DATABASE_URL')}: ${databaseUrl(owner)}`),
    serviceNames.map((name) => `${variableOf(name, 'NATS_URL')}: ${natsUrl(name)}`),
    serviceNames.flatMap(secretsOf),
  );
};

/** What a service with settings needs beside stands in the file by hand: `<name>-own`, `<name>-settings`. */
const serviceOf = (name: ServiceName) => {
  const { database, settings } = descriptionOf(name);
  const variables = [
    ...(settings ? [`${name}-settings`] : []),
    'common',
    `${name}-variables`,
    ...(database ? [`${name}-database`] : []),
  ];
  return lines(
    `${name}:`,
    `  <<: [${settings ? `*${name}-own` : '*service'}, *${name}]`,
    `  build: { <<: *build, args: { <<: *labels, SERVICE: ${name} } }`,
    '  environment:',
    `    <<: [${variables.map((anchor) => `*${anchor}`).join(', ')}]`,
    `    NATS_URL: ${natsUrl(name)}`,
    secretsOf(name).map((line) => `    ${line}`),
    database && [
      '  depends_on:',
      `    migrate-${name}: { condition: service_completed_successfully }`,
      '    registers: { condition: service_completed_successfully }',
    ],
  );
};

const published = serviceNames
  .flatMap((name) => descriptionOf(name).listeners)
  .filter((listener) => listener.for === 'clients')
  .sort((a, b) => a.port - b.port);

/** What of `external.yml` follows from the description of the services: who has to reach servers outside the stack. */
export const externalRegions: Record<string, string> = {
  outside: lines(
    databaseOwners.flatMap((owner) => [
      `migrate-${owner}: { networks: [outside] }`,
      `together-migrate-${owner}: { networks: [outside] }`,
    ]),
    databaseOwners.map((owner) => `${owner}: { networks: { outside: {} } }`),
  ),
};

/** What of `docker-compose.yml` follows from the description of the services. */
export const composeRegions: Record<string, string> = {
  images: lines(serviceNames.map(imageOf)),
  variables: lines(serviceNames.map(passedTo)),
  users: lines(
    busUserNames.map((user) => {
      const variable = variableOf(user, 'NATS_PASSWORD');
      return `${variable}: '"${given(variable)}"'`;
    }),
  ),
  roles: lines(
    databaseOwners.map((owner) => {
      const variable = variableOf(owner, 'DATABASE_PASSWORD');
      return `${variable}: \${${variable}}`;
    }),
  ),
  connections: `command: [postgres, -c, max_connections=${connectionsFor(() => 1)}, -c, shared_buffers=128MB]`,
  migrations: lines(databaseOwners.map(migrationOf)),
  services: lines(serviceNames.map(serviceOf)),
  together: togetherEnvironment(),
  migrated: lines(
    databaseOwners.map((owner) => `together-migrate-${owner}: { condition: service_completed_successfully }`),
  ),
  ports: lines(
    published.map(
      ({ variables, port }) => `- \${CARDINAL_LISTEN:-127.0.0.1}:\${CARDINAL_${variables}PORT:-${port}}:${port}`,
    ),
  ),
  databases: lines(databaseOwners.map((owner) => `${variableOf(owner, 'DATABASE_URL')}: ${databaseUrl(owner)}`)),
};

const isBehindProxy = (name: ServiceName) => descriptionOf(name).listeners.some((one) => one.for === 'clients');

/** What `upgrade.sh` replaces, and what it runs before. */
export const upgradeRegions: Record<string, string> = {
  services: lines(
    "jobs='keys roles reload registers",
    ['', 'together-'].map(
      (prefix, last) => `  ${databaseOwners.map((owner) => `${prefix}migrate-${owner}`).join(' ')}${last ? "'" : ''}`,
    ),
    '# Those that the proxy sends requests to come last.',
    `inside='${serviceNames.filter((name) => !isBehindProxy(name)).join(' ')}'`,
    `behind='${serviceNames.filter(isBehindProxy).join(' ')} all'`,
  ),
};

const readinessWithout = (names: readonly ServiceName[]) =>
  `option httpchk GET /readyz?${names.map((name) => `exclude=${name}`).join('&')}`;

/** Of the proxy only the question whether a gateway is ready: listeners differ in what may be sent twice. */
export const proxyRegions: Record<string, string> = {
  readiness: readinessWithout(askedBy('gateway')),
  files: readinessWithout(askedBy('gateway').filter((name) => name !== 'attachment')),
};

/** Where a service listens in its container, whichever it is. */
export const imageRegions: Record<string, string> = {
  listeners: `ENV ${[...listeners.values()].map(({ variables, port }) => `${variables}HOST=0.0.0.0 ${variables}PORT=${port}`).join(' ')}`,
};
