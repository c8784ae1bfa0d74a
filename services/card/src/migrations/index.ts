import type { Migrations } from '@cardinal/db';

/** The migrations of the card service, in order. */
export const migrations = {
  '0001_card': () => import('./0001_card.ts'),
  '0002_adoption': () => import('./0002_adoption.ts'),
  '0004_cards_by_due': () => import('./0004_cards_by_due.ts'),
  '0005_feed': () => import('./0005_feed.ts'),
  '0006_lineage_time': () => import('./0006_lineage_time.ts'),
  '0007_internal_events': () => import('./0007_internal_events.ts'),
  '0008_list_indexes': () => import('./0008_list_indexes.ts'),
  '0009_unique_by_place': () => import('./0009_unique_by_place.ts'),
} satisfies Migrations;
