import { positive, serviceConfig, trustDatabases } from '@cardinal/service/config';
import { z } from 'zod';
import { type Network, parseNetworks } from './webhooks/addresses.ts';

const secret = z.string('is missing; make one: openssl rand -base64 32').min(32, 'must have 32 characters or more');

/** What fails for three days and a long weekend is still there to be sent. */
const leastDays = 7;

/** What the service reads from its environment. */
export const configSchema = serviceConfig({
  WEBHOOK_KEY: secret.describe(
    'Encrypts the secrets of webhooks at rest, 32 characters or more; the same in every instance, or accepted there.',
  ),
  WEBHOOK_KEY_ACCEPTED: secret
    .optional()
    .describe('What it encrypted can be read too: the next key before a rotation, the former one after it.'),
  WEBHOOK_HTTP: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('`true` lets webhooks have URLs with `http`: for development.'),
  WEBHOOK_NETWORKS: z
    .string()
    .default('')
    .transform((list, check): Network[] => {
      try {
        return parseNetworks(list);
      } catch {
        check.addIssue({ code: 'custom', message: 'must be networks such as 10.2.0.0/16, fd00::/8' });
        return z.NEVER;
      }
    })
    .describe(
      'Networks such as `10.2.0.0/16`, with commas between them, that webhooks reach though they are not public.',
    ),
  EVENT_RETENTION_DAYS: positive
    .min(
      leastDays,
      `must be ${leastDays} or more: webhooks are tried for three days, and somebody has to enable them again`,
    )
    .default(30)
    .describe('How long changes stay in the log.'),
  TRUST_DATABASES: trustDatabases,
});

export type Config = z.output<typeof configSchema>;
