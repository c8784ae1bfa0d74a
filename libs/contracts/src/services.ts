/** What everybody needs to know of a service. Every list of services follows from this file, those of deployments too. */
export interface ServiceDescription {
  /** What it is for, in a line. */
  about: string;
  /** Whether it owns a schema in Postgres, and so a role and migrations. */
  database: boolean;
  /** The capabilities whose events it emits, and nobody else: the first words of their types. */
  emits: readonly string[];
}

/** The services, in the order in which they are started. Each has a user of its own on the bus. */
export const services = {
  identifier: {
    about: 'workstreams, grants, the ledger of every identifier',
    database: true,
    emits: ['workstream'],
  },
  card: {
    about: 'boards, columns, cards and what hangs on them; the commit of every number',
    database: true,
    emits: ['card'],
  },
  dependency: {
    about: 'which card waits for which',
    database: true,
    emits: ['dependency'],
  },
  attachment: {
    about: 'files, their bytes and checks',
    database: true,
    emits: ['cover', 'linked-file'],
  },
  gateway: {
    about: 'the HTTP API',
    database: false,
    emits: [],
  },
} as const satisfies Record<string, ServiceDescription>;

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as readonly ServiceName[];

/** Those that own data, and tell of its changes. */
export type DatabaseOwner = {
  [Name in ServiceName]: (typeof services)[Name]['database'] extends true ? Name : never;
}[ServiceName];
const ownsDatabase = (name: ServiceName): name is DatabaseOwner => services[name].database;
export const databaseOwners = serviceNames.filter(ownsDatabase);

/** Something of each of them, by name. */
export const forEachOwner = <Of>(of: (owner: DatabaseOwner) => Of): Record<DatabaseOwner, Of> =>
  Object.fromEntries(databaseOwners.map((owner) => [owner, of(owner)])) as Record<DatabaseOwner, Of>;

const emittedBy = (name: ServiceName): readonly string[] => services[name].emits;

/** The service that emits events of a type; undefined where no service of ours does. */
export const emitterOf = (type: string): DatabaseOwner | undefined =>
  databaseOwners.find((name) => emittedBy(name).includes(type.split('.', 1)[0] ?? ''));

/** The subjects to which a service may publish, also what a former release left in the outbox under another type. */
export const emittedSubjects = (name: ServiceName): string[] =>
  emittedBy(name).map((capability) => `evt.${capability}.*`);
