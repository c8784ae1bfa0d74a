import type { Transaction } from '@cardinal/db';
import { sql } from 'kysely';
import type { Counter } from '../domain/allocation.ts';
import type { DB } from './tables.gen.ts';
import { toWorkstream, workstreamColumns } from './workstream-row.ts';

/**
 * Locks the candidates of requests for a number, all of them in the order of their ids, so that batches that share some wait for each
 * other and never in a circle. Those that the workspace does not have are left out.
 */
export const lockCounters = async (
  tx: Transaction<DB>,
  requests: { workspace_id: string; candidates: string[] }[],
): Promise<Counter[]> => {
  const workspaceIds = requests.flatMap((request) => request.candidates.map(() => request.workspace_id));
  const ids = requests.flatMap((request) => request.candidates);
  const rows = await tx
    .selectFrom('workstreams')
    .select([...workstreamColumns, 'last_number'])
    .where(sql<boolean>`(workspace_id, id) in (select * from unnest(${workspaceIds}::uuid[], ${ids}::uuid[]))`)
    .orderBy('workspace_id')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return rows.map((row) => ({
    workspace_id: row.workspace_id,
    workstream: toWorkstream(row),
    last_number: row.last_number,
  }));
};
