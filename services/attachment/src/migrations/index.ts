import type { Migrations } from '@cardinal/db';

/** Every migration of the attachment service, in order. */
export const migrations = {
  '0001_files': () => import('./0001_files.ts'),
  '0002_leases': () => import('./0002_leases.ts'),
  '0003_boards_of_files': () => import('./0003_boards_of_files.ts'),
  '0004_turns_and_quotas': () => import('./0004_turns_and_quotas.ts'),
  '0005_turns_of_users': () => import('./0005_turns_of_users.ts'),
} satisfies Migrations;
