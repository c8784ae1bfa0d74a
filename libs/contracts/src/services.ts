/** A port of a process. The first one also serves its health. */
export interface Listener {
  /** Its name in manifests. */
  name: string;
  /** Prefix of its variables: `FILES_` for FILES_HOST and FILES_PORT. */
  variables: '' | `${string}_`;
  /** The port in containers, and of the proxy before them. `npm start` and tests use free ones. */
  port: number;
  /** Its clients: clients of the API through a proxy or an Ingress, or Prometheus alone. */
  for: 'clients' | 'prometheus';
}

/** A secret of the service's own. Those of the servers are separate. */
export interface Secret {
  /** Its variable. */
  name: string;
  about: string;
  /** The variable of the secret that is accepted too while it is being replaced (deploy/rotation.md). */
  accepted?: string;
  /** Only some deployments have it. */
  optional?: true;
  /** Deployments make one; where an operator leaves it empty or out, the service starts without it. */
  mayBeEmpty?: true;
}

/** The description of a service. All lists of services follow from this file, also those of deployments. */
export interface ServiceDescription {
  /** Its purpose, in a line. */
  about: string;
  /** Whether it owns a schema in Postgres, and so has a role and migrations. */
  database: boolean;
  listeners: readonly [Listener, ...Listener[]];
  secrets: readonly Secret[];
  /** Whether each deployment has settings for it (`<name>-settings`). */
  settings: boolean;
  /** Request and limits of one pod, and the most pods. */
  size: { cpu: string; memory: string; maxMemory: string; maxPods: number };
}

/** For services that are reached over the bus alone. */
const health = { name: 'health', variables: '', port: 8080, for: 'prometheus' } as const;
const small = { cpu: '200m', memory: '160Mi', maxMemory: '384Mi', maxPods: 4 };

/** The services, in the order of their start. Each has a user of its own on the bus. */
export const services = {
  identifier: {
    about: 'workstreams, grants, the ledger of every identifier',
    database: true,
    listeners: [health],
    secrets: [],
    settings: false,
    size: { ...small, maxPods: 3 },
  },
  card: {
    about: 'boards, columns, cards and what hangs on them; the commit of every number',
    database: true,
    listeners: [health],
    secrets: [],
    settings: false,
    size: { cpu: '500m', memory: '256Mi', maxMemory: '768Mi', maxPods: 6 },
  },
  dependency: {
    about: 'which card waits for which',
    database: true,
    listeners: [health],
    secrets: [],
    settings: false,
    size: small,
  },
  attachment: {
    about: 'files, their bytes and checks; uploads and downloads go to its port `files`',
    database: true,
    listeners: [health, { name: 'files', variables: 'FILES_', port: 8081, for: 'clients' }],
    secrets: [
      {
        name: 'URL_SECRET',
        about: 'Signs the URLs of files: 32 characters or more.',
        accepted: 'URL_SECRET_ACCEPTED',
      },
      { name: 'AWS_ACCESS_KEY_ID', about: 'Of the bucket, where files are in one.', optional: true },
      { name: 'AWS_SECRET_ACCESS_KEY', about: 'The same.', optional: true },
    ],
    settings: true,
    size: { cpu: '250m', memory: '384Mi', maxMemory: '2560Mi', maxPods: 4 },
  },
  event: {
    about: 'the log of changes, and webhooks',
    database: true,
    listeners: [health],
    secrets: [
      {
        name: 'WEBHOOK_KEY',
        about: 'Encrypts the secrets of webhooks at rest: 32 characters or more.',
        accepted: 'WEBHOOK_KEY_ACCEPTED',
      },
    ],
    settings: true,
    size: { cpu: '250m', memory: '256Mi', maxMemory: '768Mi', maxPods: 4 },
  },
  access: {
    about: 'API keys, and people',
    database: true,
    listeners: [health],
    secrets: [],
    settings: false,
    size: { ...small, cpu: '100m' },
  },
  gateway: {
    about: 'the HTTP API',
    database: false,
    listeners: [
      { name: 'http', variables: '', port: 8080, for: 'clients' },
      { name: 'metrics', variables: 'METRICS_', port: 9464, for: 'prometheus' },
    ],
    secrets: [
      {
        name: 'OPERATOR_KEY',
        about: 'Creates the first API keys: 32 characters or more. Leave it out where an issuer makes all credentials.',
        mayBeEmpty: true,
      },
    ],
    settings: true,
    size: { cpu: '500m', memory: '256Mi', maxMemory: '768Mi', maxPods: 8 },
  },
} as const satisfies Record<string, ServiceDescription>;

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as readonly ServiceName[];

/** The services that own data. */
export type DatabaseOwner = {
  [Name in ServiceName]: (typeof services)[Name]['database'] extends true ? Name : never;
}[ServiceName];
const ownsDatabase = (name: ServiceName): name is DatabaseOwner => services[name].database;
export const databaseOwners = serviceNames.filter(ownsDatabase);

/** Makes a record with a value of each of them, by name. */
export const forEachOwner = <Of>(of: (owner: DatabaseOwner) => Of): Record<DatabaseOwner, Of> =>
  Object.fromEntries(databaseOwners.map((owner) => [owner, of(owner)])) as Record<DatabaseOwner, Of>;

/** The description of a service. */
export const descriptionOf = (name: ServiceName): ServiceDescription => services[name];
