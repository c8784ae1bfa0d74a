import type { Migrations } from '@cardinal/db';

/** Every migration of the attachment service, in order. */
export const migrations = {
  '0001_attachment': () => import('./0001_attachment.ts'),
  '0002_jobs': () => import('./0002_jobs.ts'),
  '0003_feed': () => import('./0003_feed.ts'),
  '0004_internal_events': () => import('./0004_internal_events.ts'),
} satisfies Migrations;
