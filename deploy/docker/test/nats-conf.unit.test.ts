import { busUserNames } from '@cardinal/bus';
import { busUsers, serverConfig } from '@cardinal/servers';
import { expect, it } from 'vitest';

/** As the file refers to the password of a user: nats-server takes it from its environment. */
const reference = (user: string) => `$${user.toUpperCase()}_NATS_PASSWORD`;

const written = () => {
  const passwords = Object.fromEntries(busUserNames.map((user) => [user, reference(user)]));
  const config = serverConfig({
    listen: '0.0.0.0:4222',
    monitor: '0.0.0.0:8222',
    store: '/var/tmp',
    users: busUsers(passwords as Parameters<typeof busUsers>[0]),
  });
  return `# Follows from the contracts: npm test -- -u writes it anew.\n${config.replaceAll(/"(\$[A-Z_]+)"/g, '$1')}`;
};

it('lets each service do on the bus what its contracts say', async () => {
  await expect(written()).toMatchFileSnapshot('../nats/nats.conf');
});
