import { expect, it } from 'vitest';
import { configSchema } from './config.ts';

const environment = {
  DATABASE_URL: 'postgres://event:p@127.0.0.1/cardinal',
  NATS_URL: 'nats://event:p@127.0.0.1:4222',
  WEBHOOK_KEY: 'k'.repeat(32),
};
const read = (days?: string) =>
  configSchema.safeParse({ ...environment, ...(days !== undefined && { EVENT_RETENTION_DAYS: days }) });

it.each(['7', '30', undefined])('keeps the log for %s days', (days) => {
  expect(read(days).data?.EVENT_RETENTION_DAYS).toBe(Number(days ?? 30));
});

it.each(['1', '3', '6'])('keeps it for no %s days, within which a webhook that fails would lose events', (days) => {
  expect(read(days).error?.issues).toMatchObject([
    {
      path: ['EVENT_RETENTION_DAYS'],
      message: expect.stringMatching(/^must be 7 or more: webhooks are tried for three/),
    },
  ]);
});
