import type { Migrations } from '@cardinal/db';

/** Every migration of the access service, in order. */
export const migrations = {
  '0001_access': () => import('./0001_access.ts'),
  '0002_people': () => import('./0002_people.ts'),
} satisfies Migrations;
