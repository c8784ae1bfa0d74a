import { createHash } from 'node:crypto';
import { busUserNames } from '@cardinal/bus';
import { busUsers, serverConfig } from '@cardinal/local';
import { expect, it } from 'vitest';
import { compose } from './compose-file.ts';

/** As the file refers to the password of a user: nats-server takes it from its environment. */
const reference = (user: string) => `$${user.toUpperCase()}_NATS_PASSWORD`;

const written = () => {
  const passwords = Object.fromEntries(busUserNames.map((user) => [user, reference(user)]));
  const config = serverConfig({
    listen: '0.0.0.0:4222',
    monitor: '0.0.0.0:8222',
    store: '/var/lib/nats',
    users: busUsers(passwords as Parameters<typeof busUsers>[0]),
  });
  return `# Follows from the contracts: npm test -- -u writes it anew.\n${config.replaceAll(/"(\$[A-Z_]+)"/g, '$1')}`;
};

it('lets each service do on the bus what its contracts say', async () => {
  await expect(written()).toMatchFileSnapshot('../nats.conf');
});

it('is part of what tells a running nats-server from the one that is wanted', () => {
  const digest = createHash('sha256').update(written()).digest('hex').slice(0, 12);
  expect(compose.services.nats?.labels?.['cardinal.nats-conf']).toBe(digest);
});
