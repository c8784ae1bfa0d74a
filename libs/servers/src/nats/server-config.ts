import { type Access, accessOf, type BusUserName, busUserNames } from '@cardinal/bus';

export interface BusUser {
  name: string;
  password: string;
  /** Everything is allowed where this is left out. */
  access?: Access;
}

/** The user of each service and of the deploy step, with only the subjects that it needs (ARCHITECTURE, "Bus"). */
export const busUsers = (passwords: Record<BusUserName, string>): BusUser[] =>
  busUserNames.map((name) => ({ name, password: passwords[name], access: accessOf(name) }));

const list = (subjects: string[]) => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;

const permissions = ({ access }: BusUser) => {
  if (!access) return '';
  const { publish, subscribe, responses } = access;
  const answering = `allow_responses: { max: ${responses.max}, expires: "${responses.expires}" }`;
  return `, permissions: { publish: { allow: ${list(publish)} }, subscribe: { allow: ${list(subscribe)} }, ${answering} }`;
};

interface ServerOptions {
  /** Its name, which no other server of its cluster has; `cardinal` where left out. */
  name?: string | undefined;
  /** `host:port` for clients. */
  listen: string;
  /** `host:port` of the HTTP monitor; there is none where left out. */
  monitor?: string;
  /** Folder of the JetStream store. */
  store: string;
  users: BusUser[];
  /** Further configuration as nats-server reads it: a cluster, TLS. */
  further?: string | undefined;
}

/** The configuration of a nats-server with JetStream; every user lives inside `accounts`. */
export const serverConfig = ({
  name = 'cardinal',
  listen,
  monitor,
  store,
  users,
  further = '',
}: ServerOptions): string => `
server_name: ${name}
listen: ${JSON.stringify(listen)}
${monitor ? `http: ${JSON.stringify(monitor)}\n` : ''}max_payload: 1MB
# What waits for a slow reader before it is dropped, and how long one write to it may take. Services bound what they
# send to one reader (libs/bus, requests/answers.ts); this leaves room for several services and many small answers.
max_pending: 128MB
write_deadline: "30s"
jetstream: { store_dir: ${JSON.stringify(store)}, max_memory_store: 64MB, max_file_store: 4GB }
accounts: {
  CARDINAL: {
    jetstream: enabled
    users: [
${users.map((user) => `      { user: ${user.name}, password: ${JSON.stringify(user.password)}${permissions(user)} }`).join('\n')}
    ]
  }
}
${further}`;

/** The variable with the password of a user in the environment of a server in a container, as its configuration names it. */
export const passwordVariable = (user: BusUserName): string => `$${user.toUpperCase()}_NATS_PASSWORD`;

/** The configuration of a server in a container. @param store folder of the JetStream store */
export const containerConfig = (store: string): string => {
  const passwords = Object.fromEntries(busUserNames.map((user) => [user, passwordVariable(user)]));
  const users = busUsers(passwords as Record<BusUserName, string>);
  const config = serverConfig({ listen: '0.0.0.0:4222', monitor: '0.0.0.0:8222', store, users });
  return `# Follows from the contracts: npm test -- -u writes it anew.\n${config.replaceAll(/"(\$[A-Z_]+)"/g, '$1')}`;
};
