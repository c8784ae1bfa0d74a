import type { FileRejection } from '@cardinal/contracts';
import type { Tx } from './database.ts';

interface Arrived {
  workspaceId: string;
  fileId: string;
  /** Of the upload that brought them; null for one that went past this service. */
  uploadId: string | null;
  key: string;
  size: number;
  now: Date;
}

/**
 * Notes that the bytes of a pending file are there, and that they are to be checked now.
 * @returns false where the file is gone or no longer pending, or another upload took this one's place
 */
export const receiveFile = async (
  tx: Tx,
  { workspaceId, fileId, uploadId, key, size, now }: Arrived,
): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('files')
    .set({ status: 'scanning', storage_key: key, size, uploaded_at: now, updated_at: now })
    .set({ due_at: now, attempts: 0, lease_id: null, lost_leases: 0, upload_id: null, uploading_until: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId)
    .where('status', '=', 'pending')
    .where('upload_id', 'is not distinct from', uploadId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** Ends a file that is still pending. @returns whether it was */
export const refusePending = async (
  tx: Tx,
  workspaceId: string,
  fileId: string,
  rejection: FileRejection,
  now: Date,
): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('files')
    .set({ status: 'rejected', rejection, updated_at: now, due_at: null, lease_id: null })
    .set({ upload_id: null, uploading_until: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};
