import type { Migrations } from '@cardinal/db';

/** Every migration of the identifier service, in order. */
export const migrations = {
  '0001_identifiers': () => import('./0001_identifiers.ts'),
  '0002_grants': () => import('./0002_grants.ts'),
  '0003_lineage': () => import('./0003_lineage.ts'),
} satisfies Migrations;
