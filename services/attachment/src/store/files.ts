import type { FileRejection, FileStatus } from '@cardinal/contracts';
import type { Selectable } from 'kysely';
import type { StoredFile, StoredRendition } from '../domain/file.ts';
import type { Reader, Tx } from './database.ts';
import type { Files } from './tables.gen.ts';

/** The columns say less than the constraints on them do. */
export const toStored = (row: Selectable<Files>): StoredFile => ({
  ...row,
  status: row.status as FileStatus,
  rejection: row.rejection as FileRejection | null,
  renditions: row.renditions as unknown as StoredRendition[],
});

/** @param dueAt when the sweeper shall look after its upload */
export const insertFile = async (tx: Tx, file: StoredFile, dueAt: Date): Promise<void> => {
  const { renditions: _, ...row } = file;
  await tx
    .insertInto('files')
    .values({ ...row, due_at: dueAt })
    .execute();
};

export const getFile = async (tx: Reader, workspaceId: string, fileId: string): Promise<StoredFile | undefined> => {
  const row = await tx
    .selectFrom('files')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId)
    .executeTakeFirst();
  return row && toStored(row);
};

/** The file, which cannot be deleted before the transaction ends. */
export const shareFile = async (tx: Tx, workspaceId: string, fileId: string): Promise<StoredFile | undefined> => {
  const row = await tx
    .selectFrom('files')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId)
    .forShare()
    .executeTakeFirst();
  return row && toStored(row);
};

/** @returns whether there was one */
export const deleteFile = async (tx: Tx, workspaceId: string, fileId: string): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('files')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
};
