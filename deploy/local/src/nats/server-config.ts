import type { BusUser } from './users.ts';

const list = (subjects: string[]) => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;

const permissions = ({ publish, subscribe }: BusUser) =>
  publish && subscribe
    ? `, permissions: { publish: { allow: ${list(publish)} }, subscribe: { allow: ${list(subscribe)} }, allow_responses: { max: 10000, expires: "1m" } }`
    : '';

/** The configuration of a nats-server with JetStream on loopback; every user lives inside `accounts`. */
export const serverConfig = ({ port, store, users }: { port: number; store: string; users: BusUser[] }): string => `
server_name: cardinal
listen: "127.0.0.1:${port}"
max_payload: 1MB
jetstream: { store_dir: ${JSON.stringify(store)}, max_memory_store: 64MB, max_file_store: 4GB }
accounts: {
  CARDINAL: {
    jetstream: enabled
    users: [
${users.map((user) => `      { user: ${user.name}, password: ${JSON.stringify(user.password)}${permissions(user)} }`).join('\n')}
    ]
  }
}
`;
