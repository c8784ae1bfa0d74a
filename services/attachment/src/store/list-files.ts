import { sql } from 'kysely';
import type { StoredFile } from '../domain/file.ts';
import type { Reader } from './database.ts';
import { toStored } from './files.ts';

interface Wanted {
  workspaceId: string;
  /** The last file of the page before. */
  after: { createdAt: string; id: string } | undefined;
  limit: number;
}

/** Files of a workspace, oldest first. */
export const listFiles = async (tx: Reader, { workspaceId, after, limit }: Wanted): Promise<StoredFile[]> => {
  const rows = await tx
    .selectFrom('files')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after?.createdAt}::timestamptz, ${after?.id}::uuid)`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toStored);
};
