import { accessOf, type BusUserName, busUserNames } from '@cardinal/bus';
import { busUsers, serverConfig } from '@cardinal/servers';
import { stringify } from 'yaml';

/** The password of a user as nats-server takes it from its environment. */
const passwordOf = (user: BusUserName) => `$${user.toUpperCase()}_NATS_PASSWORD`;

/** The configuration of the single server. */
export const brokerConfig = (): string => {
  const passwords = Object.fromEntries(busUserNames.map((user) => [user, passwordOf(user)]));
  const users = busUsers(passwords as Parameters<typeof busUsers>[0]);
  const config = serverConfig({ listen: '0.0.0.0:4222', monitor: '0.0.0.0:8222', store: '/data', users });
  return `# Follows from the contracts: npm test -- -u writes it anew.\n${config.replaceAll(/"(\$[A-Z_]+)"/g, '$1')}`;
};

/** The same users as values of the NATS chart. */
export const brokerValues = (): string => {
  const users = busUserNames.map((user) => {
    const { publish, subscribe, responses } = accessOf(user);
    const permissions = { publish: { allow: publish }, subscribe: { allow: subscribe }, allow_responses: responses };
    return { user, password: `<< ${passwordOf(user)} >>`, permissions };
  });
  const values = { config: { merge: { accounts: { CARDINAL: { jetstream: 'enabled', users } } } } };
  return `# Follows from the contracts: npm test -- -u writes it anew.\n${stringify(values, { lineWidth: 0 })}`;
};
