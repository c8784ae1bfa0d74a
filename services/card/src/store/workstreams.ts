import type { WorkstreamSummary } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** What the projection keeps of a workstream. */
export interface ProjectedWorkstream extends WorkstreamSummary {
  version: number;
}

/**
 * Writes down what the identifier service says of workstreams, over older words only.
 * @returns how many rows changed
 */
export const projectWorkstreams = async (
  tx: Tx,
  workspaceId: string,
  workstreams: readonly ProjectedWorkstream[],
): Promise<number> => {
  const { numAffectedRows } = await sql`
    insert into workstreams (workspace_id, id, version, name, prefix)
    select ${workspaceId}::uuid, id, version, name, prefix
    from json_populate_recordset(null::workstreams, ${JSON.stringify(workstreams)})
    order by id
    on conflict (workspace_id, id) do update
    set version = excluded.version, name = excluded.name, prefix = excluded.prefix
    where workstreams.version < excluded.version`.execute(tx);
  return Number(numAffectedRows);
};

/**
 * Brings the projection up to what allocations said and answers its words. An insert that conflicts locks the row even
 * where it changes nothing, and every commit into a workstream would then wait for the one before: so it reads first.
 * @param workstreams each at most once
 */
export const knowWorkstreams = async (
  tx: Tx,
  workspaceId: string,
  workstreams: readonly ProjectedWorkstream[],
): Promise<Map<string, WorkstreamSummary>> => {
  const rows = await tx
    .selectFrom('workstreams')
    .select(['id', 'version', 'name', 'prefix'])
    .where('workspace_id', '=', workspaceId)
    .where(
      'id',
      'in',
      workstreams.map((workstream) => workstream.id),
    )
    .execute();
  const known = new Map(rows.map((row) => [row.id, row]));
  const news = workstreams.filter((workstream) => (known.get(workstream.id)?.version ?? 0) < workstream.version);
  if (news.length > 0) await projectWorkstreams(tx, workspaceId, news);
  for (const { id, version, name, prefix } of news) known.set(id, { id, version, name, prefix });
  return new Map([...known.values()].map(({ id, name, prefix }) => [id, { id, name, prefix }]));
};
