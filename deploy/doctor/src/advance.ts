import { sql } from 'kysely';
import type { Sources } from './sources.ts';

/** More epochs than the register of any backup is ahead of its databases. */
const epochs = 1_000;

/**
 * Advances every counter, for databases that were restored from backups together with the register, or without it: then
 * no record is left of what was issued after the backups (ADR 0042). A new epoch begins, so that nothing is issued
 * before a grant, and grants begin above the margin. Services must not run.
 * @param margin numbers that may have been issued of a workstream since the backup
 * @returns how many workstreams were advanced
 */
export const advance = async (sources: Sources, margin: number): Promise<number> => {
  for (const service of ['card', 'identifier'] as const)
    await sources.write(service, sql`update ${sql.table(`${service}.lineage`)} set epoch = epoch + ${epochs}`);
  await sources.write(
    'identifier',
    sql`update identifier.workstreams set
      granted_through = case when adopting then 0 else granted_through + ${margin} end,
      adopted_through = case when adopting then adopted_through + ${margin} else adopted_through end`,
  );
  const [row] = await sources.read(
    'identifier',
    sql<{ count: number }>`select count(*)::int as count from identifier.workstreams`,
  );
  return row?.count ?? 0;
};
