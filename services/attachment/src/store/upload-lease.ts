import type { Tx } from './database.ts';

/** An upload that is under way, the only one of its file. */
export interface Uploading {
  workspaceId: string;
  fileId: string;
  uploadId: string;
}

const pending = (tx: Tx, { workspaceId, fileId }: Uploading) =>
  tx
    .updateTable('files')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId)
    .where('status', '=', 'pending');

/** Begins an upload, unless another is under way. @param until it counts as vanished then. @returns whether it is ours */
export const beginUpload = async (tx: Tx, upload: Uploading, now: Date, until: Date): Promise<boolean> => {
  const { numUpdatedRows } = await pending(tx, upload)
    .set({ upload_id: upload.uploadId, uploading_until: until })
    .where((eb) => eb.or([eb('uploading_until', 'is', null), eb('uploading_until', '<=', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** Keeps an upload up. @returns whether it still counts: nobody took it over, and the file still waits for it */
export const keepUpload = async (tx: Tx, upload: Uploading, until: Date): Promise<boolean> => {
  const { numUpdatedRows } = await pending(tx, upload)
    .set({ uploading_until: until })
    .where('upload_id', '=', upload.uploadId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** Ends an upload that brought nothing; the next may begin. */
export const endUpload = async (tx: Tx, upload: Uploading): Promise<void> => {
  await pending(tx, upload)
    .set({ upload_id: null, uploading_until: null })
    .where('upload_id', '=', upload.uploadId)
    .execute();
};
