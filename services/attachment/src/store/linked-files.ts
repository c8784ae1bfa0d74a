import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** A change of a subtask's link. */
export interface LinkChange {
  subtask_id: string;
  card_id: string;
  file_id: string | null;
  version: number;
}

interface Link {
  workspaceId: string;
  subtaskId: string;
  cardId: string;
  fileId: string | null;
}

/** Sets or clears a subtask's link. @returns undefined where that changes nothing */
export const setLinkedFile = async (tx: Tx, link: Link): Promise<LinkChange | undefined> => {
  const { workspaceId, subtaskId, cardId, fileId } = link;
  if (fileId === null) {
    const [cleared] = await clear(tx, sql`workspace_id = ${workspaceId} and subtask_id = ${subtaskId}`);
    return cleared;
  }
  const { rows } = await sql<LinkChange>`
    insert into linked_files (workspace_id, subtask_id, card_id, file_id, version)
    values (${workspaceId}, ${subtaskId}, ${cardId}, ${fileId}, 1)
    on conflict (workspace_id, subtask_id) do update
    set file_id = excluded.file_id, version = linked_files.version + 1
    where linked_files.file_id is distinct from excluded.file_id
    returning subtask_id, card_id, file_id, version`.execute(tx);
  return rows[0];
};

/** Clears every link to a file. */
export const clearLinksOf = (tx: Tx, workspaceId: string, fileId: string): Promise<LinkChange[]> =>
  clear(tx, sql`workspace_id = ${workspaceId} and file_id = ${fileId}`);

const clear = async (tx: Tx, which: ReturnType<typeof sql>): Promise<LinkChange[]> => {
  const { rows } = await sql<LinkChange>`
    update linked_files set file_id = null, version = version + 1 where file_id is not null and ${which}
    returning subtask_id, card_id, file_id, version`.execute(tx);
  return rows;
};
