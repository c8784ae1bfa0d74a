import type { Migration } from '@cardinal/db';
import { up as files } from './0001_files.ts';
import { up as leases } from './0002_leases.ts';
import { up as boardsOfFiles } from './0003_boards_of_files.ts';
import { up as turnsAndQuotas } from './0004_turns_and_quotas.ts';

/** Every migration of the attachment service, in order. */
export const migrations: Record<string, Migration> = {
  '0001_files': { up: files },
  '0002_leases': { up: leases },
  '0003_boards_of_files': { up: boardsOfFiles },
  '0004_turns_and_quotas': { up: turnsAndQuotas },
};
