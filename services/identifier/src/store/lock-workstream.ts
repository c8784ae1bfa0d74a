import type { Workstream } from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import type { DB } from './tables.gen.ts';
import { toWorkstream, workstreamColumns } from './workstream-row.ts';

/** Reads one workstream and keeps writers and allocations off it until the transaction ends. */
export const lockWorkstream = async (
  tx: Transaction<DB>,
  workspaceId: string,
  id: string,
): Promise<Workstream | undefined> => {
  const row = await tx
    .selectFrom('workstreams')
    .select(workstreamColumns)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && toWorkstream(row);
};
