import type { Migrations } from '@cardinal/db';

/** Every migration of the event service, in order. */
export const migrations = {
  '0001_event': () => import('./0001_event.ts'),
  '0002_webhook_filters': () => import('./0002_webhook_filters.ts'),
  '0003_actors': () => import('./0003_actors.ts'),
} satisfies Migrations;
