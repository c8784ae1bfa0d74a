import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** A subtask's link; a cleared one keeps the number of its changes. */
export interface LinkState {
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

/**
 * Sets or clears a subtask's link.
 * @returns the link as asked for, undefined where there never was one to clear; and whether this made it so
 */
export const setLinkedFile = async (
  tx: Tx,
  asked: Link,
): Promise<{ link: LinkState | undefined; changed: boolean }> => {
  const change = asked.fileId === null ? await clearLink(tx, asked) : await putLink(tx, asked);
  return { link: change ?? (await findLink(tx, asked)), changed: change !== undefined };
};

const clearLink = async (tx: Tx, { workspaceId, subtaskId }: Link): Promise<LinkState | undefined> =>
  (await clear(tx, sql`workspace_id = ${workspaceId} and subtask_id = ${subtaskId}`))[0];

const putLink = async (tx: Tx, { workspaceId, subtaskId, cardId, fileId }: Link): Promise<LinkState | undefined> => {
  const { rows } = await sql<LinkState>`
    insert into linked_files (workspace_id, subtask_id, card_id, file_id, version)
    values (${workspaceId}, ${subtaskId}, ${cardId}, ${fileId}, 1)
    on conflict (workspace_id, subtask_id) do update
    set file_id = excluded.file_id, version = linked_files.version + 1
    where linked_files.file_id is distinct from excluded.file_id
    returning subtask_id, card_id, file_id, version`.execute(tx);
  return rows[0];
};

/** A link that somebody else has changed since is not the one asked for. */
const findLink = async (tx: Tx, { workspaceId, subtaskId, fileId }: Link): Promise<LinkState | undefined> => {
  const { rows } = await sql<LinkState>`
    select subtask_id, card_id, file_id, version from linked_files
    where workspace_id = ${workspaceId} and subtask_id = ${subtaskId} and file_id is not distinct from ${fileId}::uuid`.execute(
    tx,
  );
  return rows[0];
};

/** Clears every link to a file. */
export const clearLinksOf = (tx: Tx, workspaceId: string, fileId: string): Promise<LinkState[]> =>
  clear(tx, sql`workspace_id = ${workspaceId} and file_id = ${fileId}`);

const clear = async (tx: Tx, which: ReturnType<typeof sql>): Promise<LinkState[]> => {
  const { rows } = await sql<LinkState>`
    update linked_files set file_id = null, version = version + 1 where file_id is not null and ${which}
    returning subtask_id, card_id, file_id, version`.execute(tx);
  return rows;
};
