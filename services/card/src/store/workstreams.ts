import type { Workstream } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Tx } from './database.ts';

/**
 * Writes down what the identifier service says of a workstream, over older words only. That it is archived closes its
 * range, if that is not closed already, as in a database restored from a backup.
 */
export const projectWorkstream = async (
  tx: Tx,
  workspaceId: string,
  { id, version, name, prefix, archived_at }: Workstream,
): Promise<void> => {
  await sql`
    insert into workstreams (workspace_id, id, version, name, prefix, closed)
    values (${workspaceId}, ${id}, ${version}, ${name}, ${prefix}, ${archived_at !== null})
    on conflict (workspace_id, id) do update
    set version = excluded.version, name = excluded.name, closed = workstreams.closed or excluded.closed
    where workstreams.version < excluded.version`.execute(tx);
};
