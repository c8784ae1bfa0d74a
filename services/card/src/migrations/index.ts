import type { Migration } from '@cardinal/db';
import { up as cards } from './0001_cards.ts';
import { up as collaboration } from './0002_collaboration.ts';
import { up as dependencies } from './0003_dependencies.ts';
import { up as linkedFiles } from './0004_linked_files.ts';
import { up as labelColor } from './0005_label_color.ts';
import { up as memberRoles } from './0006_member_roles.ts';
import { up as foldedTitles } from './0007_folded_titles.ts';
import { up as grants } from './0008_grants.ts';
import { up as listIndexes } from './0009_list_indexes.ts';

/** Every migration of the card service, in order. */
export const migrations: Record<string, Migration> = {
  '0001_cards': { up: cards },
  '0002_collaboration': { up: collaboration },
  '0003_dependencies': { up: dependencies },
  '0004_linked_files': { up: linkedFiles },
  '0005_label_color': { up: labelColor },
  '0006_member_roles': { up: memberRoles },
  '0007_folded_titles': { up: foldedTitles },
  '0008_grants': { up: grants },
  '0009_list_indexes': { up: listIndexes },
};
