import { CardinalError, conflict, type File, type FileRejection, requireFound } from '@cardinal/contracts';
import { failpoint } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { ServiceContext } from '../context.ts';
import type { Tx } from '../database.ts';
import { findFile, type StoredFile, toFile } from '../files/queries.ts';
import { requestRemoval } from '../files/removals.ts';
import { folderOf } from '../storage/storage.ts';

const usedUp = () => conflict('The file has been uploaded already, or its upload was given up');
const underWay = () => conflict('The file is being uploaded just now; another upload may begin if this one breaks off');
const tooLarge = (maxBytes: number) =>
  new CardinalError('payload_too_large', `A file may have at most ${maxBytes} bytes`);

/** An upload as it arrives. */
interface Arriving {
  workspaceId: string;
  fileId: string;
  /** Bytes, as the client announces them; undefined where it does not. */
  announced: number | undefined;
  bytes: AsyncIterable<Uint8Array>;
}

/** An upload that is under way, the only one of its file. */
interface Upload {
  workspaceId: string;
  fileId: string;
  /** Null for one that went past this service. */
  uploadId: string | null;
}

/**
 * Takes the bytes of a pending file in, once, and one upload at a time. An upload that breaks off leaves nothing and may
 * be sent again.
 * @throws CardinalError `not_found`, `conflict` where it was uploaded or another upload is under way, before a byte is
 *   read, `payload_too_large` and `validation_error` (empty), after which the file is rejected
 */
export const receiveUpload = async (context: ServiceContext, arriving: Arriving): Promise<File> => {
  const { db, config, now, logger } = context;
  const { workspaceId, fileId } = arriving;
  const file = requireFound('File', await db.read((tx) => findFile(tx, workspaceId, fileId)));
  if (file.status !== 'pending') throw usedUp();
  const upload = { workspaceId, fileId, uploadId: v7() };
  const until = () => new Date(now().getTime() + config.CHECK_LEASE_MS);
  if (!(await db.transaction((tx) => beginUpload(tx, upload, now(), until())))) throw underWay();

  const lost = new AbortController();
  const renewals = setInterval(() => {
    db.transaction((tx) => renewUpload(tx, upload, until())).then(
      (isOurs) => isOurs || lost.abort(usedUp()),
      (error) => logger.warn({ err: error, file_id: fileId }, 'the lease on an upload was not renewed'),
    );
  }, config.CHECK_LEASE_MS / 3);
  try {
    return await store(context, file, upload, arriving, lost.signal);
  } catch (error) {
    // Else it ends with its lease.
    await db.transaction((tx) => endUpload(tx, upload)).catch(() => {});
    throw error;
  } finally {
    clearInterval(renewals);
  }
};

const store = async (
  context: ServiceContext,
  file: StoredFile,
  upload: Upload,
  { announced = 0, bytes }: Arriving,
  lost: AbortSignal,
): Promise<File> => {
  const { db, storage, config, checks, now } = context;
  const { MAX_FILE_BYTES: maxFileBytes } = config;
  let size = 0;
  async function* bounded() {
    if (announced > maxFileBytes) throw tooLarge(maxFileBytes);
    for await (const chunk of bytes) {
      lost.throwIfAborted();
      size += chunk.length;
      if (size > maxFileBytes) throw tooLarge(maxFileBytes);
      yield chunk;
    }
    if (size === 0) throw new CardinalError('validation_error', 'The file is empty');
  }
  const key = `${folderOf(file)}/content-${v7()}`;
  try {
    await storage.put(key, bounded());
  } catch (error) {
    const rejection = error instanceof CardinalError && rejectionOf[error.code];
    if (rejection) await rejectPending(context, file, rejection);
    throw error;
  }
  failpoint('after-upload-stored');
  const moment = now();
  if (!(await db.transaction((tx) => markReceived(tx, upload, key, size, moment)))) {
    await storage.remove(key);
    throw usedUp();
  }
  checks.nudge();
  return toFile({ ...file, status: 'scanning', size, updated_at: moment });
};

/** What becomes of the file where its bytes are refused. */
const rejectionOf: Partial<Record<CardinalError['code'], FileRejection>> = {
  payload_too_large: 'too_large',
  validation_error: 'empty',
};

/** Ends a file that is still pending, with whatever arrived of it. */
export const rejectPending = async (
  { db, removals, now }: ServiceContext,
  file: StoredFile,
  rejection: FileRejection,
): Promise<void> => {
  await db.transaction(async (tx) => {
    const moment = now();
    const { numUpdatedRows } = await pending(tx, { workspaceId: file.workspace_id, fileId: file.id })
      .set({ status: 'rejected', rejection, updated_at: moment, due_at: null, lease_id: null })
      .set({ upload_id: null, uploading_until: null })
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await requestRemoval(tx, file, moment);
  });
  removals.nudge();
};

/**
 * Notes that the bytes of a pending file are there, and that they are to be checked now.
 * @returns false where the file is gone or no longer pending, or another upload took this one's place
 */
export const markReceived = async (tx: Tx, upload: Upload, key: string, size: number, now: Date): Promise<boolean> => {
  const { numUpdatedRows } = await pending(tx, upload)
    .set({ status: 'scanning', storage_key: key, size, uploaded_at: now, updated_at: now })
    .set({ due_at: now, attempts: 0, lease_id: null, lost_leases: 0, upload_id: null, uploading_until: null })
    .where('upload_id', 'is not distinct from', upload.uploadId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

const pending = (tx: Tx, { workspaceId, fileId }: Pick<Upload, 'workspaceId' | 'fileId'>) =>
  tx
    .updateTable('files')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', fileId)
    .where('status', '=', 'pending');

/** Begins an upload, unless another is under way. @param until it counts as vanished then. @returns whether it is ours */
const beginUpload = async (tx: Tx, upload: Upload, now: Date, until: Date): Promise<boolean> => {
  const { numUpdatedRows } = await pending(tx, upload)
    .set({ upload_id: upload.uploadId, uploading_until: until })
    .where((eb) => eb.or([eb('uploading_until', 'is', null), eb('uploading_until', '<=', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** @returns whether the upload still counts: nobody took it over, and the file still waits for it */
const renewUpload = async (tx: Tx, upload: Upload, until: Date): Promise<boolean> => {
  const { numUpdatedRows } = await pending(tx, upload)
    .set({ uploading_until: until })
    .where('upload_id', '=', upload.uploadId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** Ends an upload that brought nothing; the next may begin. */
const endUpload = async (tx: Tx, upload: Upload): Promise<void> => {
  await pending(tx, upload)
    .set({ upload_id: null, uploading_until: null })
    .where('upload_id', '=', upload.uploadId)
    .execute();
};
