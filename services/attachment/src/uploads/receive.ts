import { CardinalError, conflict, type File, type FileRejection, notFound } from '@cardinal/contracts';
import { failpoint } from '@cardinal/runtime';
import { v7 } from 'uuid';
import { type StoredFile, toFile } from '../domain/file.ts';
import type { Parts } from '../parts.ts';
import { getFile } from '../store/files.ts';
import { receiveFile, refusePending } from '../store/receive-file.ts';
import { noteRemoval } from '../store/removals.ts';
import { beginUpload, endUpload, keepUpload, type Uploading } from '../store/upload-lease.ts';
import { type Measured, measured, tooLarge } from './measured.ts';
import { folderOf } from './targets.ts';

const usedUp = () => conflict('The file has been uploaded already, or its upload was given up');
const underWay = () => conflict('The file is being uploaded just now; another upload may begin if this one breaks off');

interface Arriving {
  workspaceId: string;
  fileId: string;
  /** As the client announces it; undefined where it does not. */
  announced: number | undefined;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Takes the bytes of a pending file in, once, and one upload at a time. An upload that breaks off leaves nothing and may
 * be sent again.
 * @throws CardinalError `not_found`, `conflict` where it was uploaded or another upload is under way, before a byte is
 *   read, `payload_too_large` and `validation_error` (empty), after which the file is rejected
 */
export const receiveUpload = async (
  parts: Parts,
  { workspaceId, fileId, announced, bytes }: Arriving,
): Promise<File> => {
  const { db, limits, now } = parts;
  const file = await db.read((tx) => getFile(tx, workspaceId, fileId));
  if (!file) throw notFound('File');
  if (file.status !== 'pending') throw usedUp();
  const upload = { workspaceId, fileId, uploadId: v7() };
  const until = () => new Date(now().getTime() + limits.leaseMs);
  if (!(await db.transaction((tx) => beginUpload(tx, upload, now(), until())))) throw underWay();

  const lost = new AbortController();
  const keepUp = setInterval(() => {
    db.transaction((tx) => keepUpload(tx, upload, until())).then(
      (isOurs) => isOurs || lost.abort(usedUp()),
      (error) => parts.logger.warn({ err: error, file_id: fileId }, 'the lease on an upload was not renewed'),
    );
  }, limits.leaseMs / 3);
  try {
    return await takeIn(parts, file, upload, announced, measured(bytes, limits.maxFileBytes, lost.signal));
  } catch (error) {
    // Else it ends with its lease.
    await db.transaction((tx) => endUpload(tx, upload)).catch(() => {});
    throw error;
  } finally {
    clearInterval(keepUp);
  }
};

const takeIn = async (
  parts: Parts,
  file: StoredFile,
  upload: Uploading,
  announced: number | undefined,
  { source, size }: Measured,
): Promise<File> => {
  const { db, storage, limits, checks, now } = parts;
  if (announced !== undefined && announced > limits.maxFileBytes) {
    await refuse(parts, file, 'too_large');
    throw tooLarge(limits.maxFileBytes);
  }
  const key = `${folderOf(file)}/content-${v7()}`;
  try {
    await storage.put(key, source);
  } catch (error) {
    if (error instanceof CardinalError && error.code === 'payload_too_large') await refuse(parts, file, 'too_large');
    throw error;
  }
  if (size() === 0) {
    await refuse(parts, file, 'empty');
    throw new CardinalError('validation_error', 'The file is empty');
  }
  failpoint('after-upload-stored');
  const moment = now();
  if (!(await db.transaction((tx) => receiveFile(tx, { ...upload, key, size: size(), now: moment })))) {
    await storage.remove(key);
    throw usedUp();
  }
  checks.nudge();
  return toFile({ ...file, status: 'scanning', size: size(), updated_at: moment });
};

/** Ends a pending file, with whatever arrived of it. */
export const refuse = async (
  { db, removals, now }: Pick<Parts, 'db' | 'removals' | 'now'>,
  file: StoredFile,
  rejection: FileRejection,
): Promise<void> => {
  await db.transaction(async (tx) => {
    const moment = now();
    if (await refusePending(tx, file.workspace_id, file.id, rejection, moment)) await noteRemoval(tx, file, moment);
  });
  removals.nudge();
};
