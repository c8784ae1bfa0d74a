import { positive, serviceConfig } from '@cardinal/service/config';
import { z } from 'zod';

const secret = z.string('is missing; make one: openssl rand -base64 32').min(32, 'must have 32 characters or more');

/** What the service reads from its environment. */
export const configSchema = serviceConfig({
  WEBHOOK_KEY: secret.describe(
    'Encrypts the secrets of webhooks at rest, 32 characters or more; the same in every instance, or accepted there.',
  ),
  WEBHOOK_KEY_ACCEPTED: secret
    .optional()
    .describe('What it encrypted can be read too: the next key before a rotation, the former one after it.'),
  EVENT_RETENTION_DAYS: positive.default(30).describe('How long changes stay in the log.'),
});

export type Config = z.output<typeof configSchema>;
