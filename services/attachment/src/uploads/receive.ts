import { CardinalError, conflict, type File, type FileRejection, requireFound } from '@cardinal/contracts';
import { appendChanges } from '@cardinal/db';
import { dequeue } from '@cardinal/jobs';
import { failpoint } from '@cardinal/runtime';
import { sql, type Updateable } from 'kysely';
import { v7 } from 'uuid';
import { requestCheck } from '../checks/checks.ts';
import type { ServiceContext, StoredFile, Tables, Tx } from '../context.ts';
import { changeOfFile } from '../files/changes.ts';
import { findFile, jobOf, toFile } from '../files/queries.ts';
import { requestRemoval } from '../files/removals.ts';
import { type FileKey, folderOf } from '../storage/storage.ts';

const usedUp = () => conflict('The file has been uploaded already, or its upload was given up');
const underWay = () => conflict('The file is being uploaded just now; another upload may begin if this one breaks off');
const tooLarge = (maxBytes: number) =>
  new CardinalError('payload_too_large', `A file may have at most ${maxBytes} bytes`);

/** The kind of jobs for files whose bytes have not arrived. */
export const collecting = 'collect-uploads';

/** The columns of a file without a running upload. */
const noUpload = { upload_id: null, uploading_until: null };

interface Arriving {
  workspaceId: string;
  fileId: string;
  /** Bytes, as announced by the client; 0 where it announces none. */
  announced: number;
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Receives the bytes of a pending file, once, and one upload at a time. A broken upload leaves nothing and may be
 * repeated.
 * @throws CardinalError `not_found`, `conflict` where it was uploaded or another upload is running, before a byte is
 * read; `payload_too_large` and `validation_error` (empty), after which the file is rejected
 */
export const receiveUpload = async (context: ServiceContext, arriving: Arriving): Promise<File> => {
  const { db, config, now, logger } = context;
  const { workspaceId, fileId } = arriving;
  const file = requireFound('File', await db.read((tx) => findFile(tx, workspaceId, fileId)));
  if (file.status !== 'pending') throw usedUp();
  const upload_id = v7();
  const change = (set: Updateable<Tables['files']>, only = ofUpload(upload_id)) =>
    db.transaction((tx) => changePending(tx, file, set, only));
  const until = () => new Date(now().getTime() + config.CHECK_LEASE_MS);
  const isFree = sql<boolean>`(uploading_until is null or uploading_until <= ${now()})`;
  if (!(await change({ upload_id, uploading_until: until() }, isFree))) throw underWay();

  const lost = new AbortController();
  const renewals = setInterval(() => {
    change({ uploading_until: until() }).then(
      (isOurs) => isOurs || lost.abort(usedUp()),
      (error) => logger.warn({ err: error, file_id: fileId }, 'the lease on an upload was not renewed'),
    );
  }, config.CHECK_LEASE_MS / 3);
  try {
    return await store(context, { ...file, upload_id }, arriving, lost.signal);
  } catch (error) {
    // Otherwise it ends with its lease.
    await change(noUpload).catch(() => {});
    throw error;
  } finally {
    clearInterval(renewals);
  }
};

const store = async (context: ServiceContext, file: StoredFile, { announced, bytes }: Arriving, lost: AbortSignal) => {
  const { db, feed, storage, config, checks, now } = context;
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
  const received = await db.transaction((tx) => markReceived(tx, file, { key, size, at: now() }));
  if (!received) {
    await storage.remove(key);
    throw usedUp();
  }
  checks.nudge();
  feed.nudge(file.workspace_id);
  return toFile(received);
};

const rejectionOf: Partial<Record<CardinalError['code'], FileRejection>> = {
  payload_too_large: 'too_large',
  validation_error: 'empty',
};

/**
 * Rejects a file that is still pending, with any bytes that arrived.
 * @param requestId null where no request does it
 */
export const rejectPending = async (
  { db, feed, removals, now }: ServiceContext,
  file: StoredFile,
  rejection: FileRejection,
  requestId?: null,
): Promise<void> => {
  await db.transaction(async (tx) => {
    const moment = now();
    const ended = { status: 'rejected', rejection, updated_at: moment } as const;
    if (!(await changePending(tx, file, { ...ended, ...noUpload }))) return;
    await requestRemoval(tx, file, moment);
    await appendChanges(tx, file.workspace_id, [changeOfFile(file, { ...file, ...ended }, requestId)]);
  });
  removals.nudge();
  feed.nudge(file.workspace_id);
};

/**
 * Marks a pending file as received, to be checked now. Ends its transaction.
 * @param file its `upload_id` is that of the upload, null for a direct one
 * @param requestId null where no request does it
 * @returns the file; undefined where it was deleted, is no longer pending, or another upload replaced this one
 */
export const markReceived = async (
  tx: Tx,
  file: StoredFile,
  { key, size, at, requestId }: { key: string; size: number; at: Date; requestId?: null },
): Promise<StoredFile | undefined> => {
  const set = { status: 'scanning', storage_key: key, size, uploaded_at: at, updated_at: at, ...noUpload } as const;
  if (!(await changePending(tx, file, set, ofUpload(file.upload_id)))) return undefined;
  await dequeue(tx, jobOf(collecting, file));
  await requestCheck(tx, file, at);
  const received = { ...file, ...set };
  await appendChanges(tx, file.workspace_id, [changeOfFile(file, received, requestId)]);
  return received;
};

const ofUpload = (id: string | null) => sql<boolean>`upload_id is not distinct from ${id}::uuid`;

/** Changes a file that is still pending. @returns whether it was, and whether `only` held */
const changePending = async (
  tx: Tx,
  { workspace_id, id }: FileKey,
  set: Updateable<Tables['files']>,
  only = sql<boolean>`true`,
): Promise<boolean> => {
  const pending = tx.updateTable('files').where(({ and }) => and({ workspace_id, id, status: 'pending' }));
  const { numUpdatedRows } = await pending.where(only).set(set).executeTakeFirst();
  return numUpdatedRows > 0n;
};
