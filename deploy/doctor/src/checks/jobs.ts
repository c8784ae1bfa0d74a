import { queryCheck } from './kinds.ts';

/** Such a webhook is paused until the key is back, or its secret is rotated (ADR 0072). */
export const unreadableSecrets = queryCheck(
  'the secret of every webhook can be opened',
  ['event'],
  `select 'webhook ' || workspace_id || '/' || id || ': no key opens its secret; bring WEBHOOK_KEY back, or rotate it' as what
      from {schema}.webhooks where secret_unreadable`,
);

/** Jobs: failures are retried, and a long series of them needs an operator. */
export const failingJobs = queryCheck(
  'no job fails again and again',
  ['attachment'],
  `select 'job ' || kind || ' of ' || workspace_id || '/' || key || ' failed ' || attempts || ' times: ' || error as what
      from {schema}.jobs where error is not null and attempts >= 10`,
);
