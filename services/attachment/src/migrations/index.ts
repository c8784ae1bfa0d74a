import type { Migrations } from '@cardinal/db';

/** Every migration of the attachment service, in order. */
export const migrations = {
  '0001_attachment': () => import('./0001_attachment.ts'),
} satisfies Migrations;
