import { sql } from 'kysely';
import type { StoredFile } from '../domain/file.ts';
import type { Reader, Tx } from './database.ts';
import { toStored } from './files.ts';

/** The file that is a card's cover. */
export const getCoverFile = async (
  tx: Reader,
  workspaceId: string,
  cardId: string,
): Promise<StoredFile | undefined> => {
  const row = await tx
    .selectFrom('covers')
    .innerJoin('files', (join) =>
      join.onRef('files.workspace_id', '=', 'covers.workspace_id').onRef('files.id', '=', 'covers.file_id'),
    )
    .selectAll('files')
    .where('covers.workspace_id', '=', workspaceId)
    .where('covers.card_id', '=', cardId)
    .executeTakeFirst();
  return row && toStored(row);
};

/** A change of a card's cover. */
export interface CoverChange {
  card_id: string;
  file_id: string | null;
  version: number;
}

/** Sets or clears a card's cover. @returns undefined where that changes nothing */
export const setCover = async (
  tx: Tx,
  workspaceId: string,
  cardId: string,
  fileId: string | null,
): Promise<CoverChange | undefined> => {
  if (fileId === null) {
    const [cleared] = await clear(tx, sql`workspace_id = ${workspaceId} and card_id = ${cardId}`);
    return cleared;
  }
  const { rows } = await sql<CoverChange>`
    insert into covers (workspace_id, card_id, file_id, version) values (${workspaceId}, ${cardId}, ${fileId}, 1)
    on conflict (workspace_id, card_id) do update set file_id = excluded.file_id, version = covers.version + 1
    where covers.file_id is distinct from excluded.file_id
    returning card_id, file_id, version`.execute(tx);
  return rows[0];
};

/** Clears the cover of every card that has this file for one. */
export const clearCoversOf = (tx: Tx, workspaceId: string, fileId: string): Promise<CoverChange[]> =>
  clear(tx, sql`workspace_id = ${workspaceId} and file_id = ${fileId}`);

const clear = async (tx: Tx, which: ReturnType<typeof sql>): Promise<CoverChange[]> => {
  const { rows } = await sql<CoverChange>`
    update covers set file_id = null, version = version + 1 where file_id is not null and ${which}
    returning card_id, file_id, version`.execute(tx);
  return rows;
};
