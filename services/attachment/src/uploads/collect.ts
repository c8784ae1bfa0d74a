import { v7 } from 'uuid';
import { retryPause } from '../domain/retry-pause.ts';
import type { Parts } from '../parts.ts';
import type { DirectUploads } from '../storage/storage.ts';
import { type DueFile, putOff } from '../store/due-files.ts';
import { receiveFile } from '../store/receive-file.ts';
import { refuse } from './receive.ts';
import { folderOf, incomingKey } from './targets.ts';

/** Looks after a pending file: takes a direct upload in, and gives up what did not come in time. */
export const collectUpload = async (parts: Parts, file: DueFile): Promise<void> => {
  const { storage, db, now } = parts;
  if (storage.direct && (await takeIn(parts, storage.direct, file))) return;
  const moment = now();
  if (moment >= file.upload_expires_at) await refuse(parts, file, 'expired');
  else await db.transaction((tx) => putOff(tx, file, new Date(moment.getTime() + retryPause(file.attempts))));
};

/** @returns whether anything had arrived */
const takeIn = async (parts: Parts, direct: DirectUploads, file: DueFile): Promise<boolean> => {
  const { db, limits, checks, now } = parts;
  const faultOf = (size: number) => {
    if (size === 0) return 'empty';
    return size > limits.maxFileBytes ? 'too_large' : undefined;
  };
  const incoming = await direct.sizeOf(incomingKey(file));
  if (incoming === undefined) return false;
  const key = `${folderOf(file)}/content-${v7()}`;
  const isTaken = faultOf(incoming) === undefined;
  if (isTaken) await direct.copy(incomingKey(file), key);
  // The client may send other bytes at any time: what counts is the copy.
  const size = isTaken ? ((await direct.sizeOf(key)) ?? 0) : incoming;
  const fault = faultOf(size);
  if (fault) {
    await refuse(parts, file, fault);
    return true;
  }
  const arrived = { workspaceId: file.workspace_id, fileId: file.id, uploadId: null, key, size, now: now() };
  await db.transaction((tx) => receiveFile(tx, arrived));
  checks.nudge();
  return true;
};
