import type { Migrations } from '@cardinal/db';

/** Every migration of the card service, in order. */
export const migrations = {
  '0001_card': () => import('./0001_card.ts'),
} satisfies Migrations;
