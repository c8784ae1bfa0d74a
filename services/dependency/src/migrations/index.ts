import type { Migrations } from '@cardinal/db';

/** Every migration of the dependency service, in order. */
export const migrations = {
  '0001_dependency': () => import('./0001_dependency.ts'),
  '0002_feed': () => import('./0002_feed.ts'),
  '0003_internal_events': () => import('./0003_internal_events.ts'),
} satisfies Migrations;
