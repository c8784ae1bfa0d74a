import type { Migrations } from '@cardinal/db';

/** Every migration of the event service, in order. */
export const migrations = {
  '0001_event': () => import('./0001_event.ts'),
  '0002_actors': () => import('./0002_actors.ts'),
} satisfies Migrations;
