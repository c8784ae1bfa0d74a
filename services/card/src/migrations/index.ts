import type { Migrations } from '@cardinal/db';

/** Every migration of the card service, in order. */
export const migrations = {
  '0001_cards': () => import('./0001_cards.ts'),
  '0002_collaboration': () => import('./0002_collaboration.ts'),
  '0003_dependencies': () => import('./0003_dependencies.ts'),
  '0004_linked_files': () => import('./0004_linked_files.ts'),
  '0005_label_color': () => import('./0005_label_color.ts'),
  '0006_member_roles': () => import('./0006_member_roles.ts'),
  '0007_folded_titles': () => import('./0007_folded_titles.ts'),
  '0008_grants': () => import('./0008_grants.ts'),
  '0009_list_indexes': () => import('./0009_list_indexes.ts'),
  '0010_planned_filter_keys': () => import('./0010_planned_filter_keys.ts'),
  '0011_plain_trigrams': () => import('./0011_plain_trigrams.ts'),
  '0012_former_trigrams': () => import('./0012_former_trigrams.ts'),
  '0013_lineage': () => import('./0013_lineage.ts'),
} satisfies Migrations;
