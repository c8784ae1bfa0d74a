import type { Workstream } from '@cardinal/contracts';
import type { Kysely } from 'kysely';
import type { DB } from './tables.gen.ts';
import { toWorkstream, workstreamColumns } from './workstream-row.ts';

/** Reads one workstream of a workspace. */
export const getWorkstream = async (
  tx: Kysely<DB>,
  workspaceId: string,
  id: string,
): Promise<Workstream | undefined> => {
  const row = await tx
    .selectFrom('workstreams')
    .select(workstreamColumns)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toWorkstream(row);
};
