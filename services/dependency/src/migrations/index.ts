import type { Migrations } from '@cardinal/db';

/** Every migration of the dependency service, in order. */
export const migrations = {
  '0001_dependencies': () => import('./0001_dependencies.ts'),
} satisfies Migrations;
