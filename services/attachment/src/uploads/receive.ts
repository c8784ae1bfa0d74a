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

/** The jobs that look after files whose bytes have not come. */
export const collecting = 'collect-uploads';

/** What an upload writes where no other is under way. */
const noUpload = { upload_id: null, uploading_until: null };

interface Arriving {
  workspaceId: string;
  fileId: string;
  /** Bytes, as the client announces them; 0 where it does not. */
  announced: number;
  bytes: AsyncIterable<Uint8Array>;
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
    // Else it ends with its lease.
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
 * Ends a file that is still pending, with whatever arrived of it.
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
 * Notes that the bytes of a pending file are there, and that they are to be checked now. Ends its transaction.
 * @param file its `upload_id` is that of the upload, null for one that went past this service
 * @param requestId null where no request does it
 * @returns the file; undefined where it is gone or no longer pending, or another upload took this one's place
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
