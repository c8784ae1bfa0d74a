import type { Workstream } from '@cardinal/contracts';
import type { Kysely } from 'kysely';
import type { DB } from './tables.gen.ts';
import { toWorkstream, workstreamColumns } from './workstream-row.ts';

/** One page of a workspace's active or archived workstreams. */
export interface WorkstreamPage {
  workspaceId: string;
  archived: boolean;
  limit: number;
  /** The last one of the page before. */
  after?: { createdAt: string; id: string } | undefined;
}

/** Workstreams in the order of their making: the default one, made first of all, leads. */
export const listWorkstreams = async (
  tx: Kysely<DB>,
  { workspaceId, archived, limit, after }: WorkstreamPage,
): Promise<Workstream[]> => {
  let query = tx
    .selectFrom('workstreams')
    .select(workstreamColumns)
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', archived ? 'is not' : 'is', null);
  if (after) {
    query = query.where((where) =>
      where(where.refTuple('created_at', 'id'), '>', where.tuple(new Date(after.createdAt), after.id)),
    );
  }
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
  return rows.map(toWorkstream);
};
