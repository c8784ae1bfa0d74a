import type { Migrations } from '@cardinal/db';

/** Every migration of the identifier service, in order. */
export const migrations = {
  '0001_identifier': () => import('./0001_identifier.ts'),
  '0002_adoption': () => import('./0002_adoption.ts'),
  '0003_feed': () => import('./0003_feed.ts'),
  '0004_lineage_time': () => import('./0004_lineage_time.ts'),
  '0005_internal_events': () => import('./0005_internal_events.ts'),
} satisfies Migrations;
