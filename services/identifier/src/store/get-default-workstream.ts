import type { Kysely } from 'kysely';
import type { DB } from './tables.gen.ts';

/** The id of a workspace's default workstream, where it was made already. */
export const getDefaultWorkstream = async (tx: Kysely<DB>, workspaceId: string): Promise<string | undefined> => {
  const row = await tx
    .selectFrom('workstreams')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('is_default', '=', true)
    .executeTakeFirst();
  return row?.id;
};
