import type { FileRejection } from '@cardinal/contracts';
import { type Job, retryPause, runJobs } from '@cardinal/jobs';
import type { Sweeper } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { Resources, ServiceContext, StoredFile } from '../context.ts';
import { findFile } from '../files/queries.ts';
import { type DirectUploads, type FileKey, folderOf } from '../storage/storage.ts';
import { collecting, markReceived, rejectPending } from './receive.ts';

/** Time until the storage is first asked whether a direct upload arrived, ms. */
const firstLookMs = 500;

const incomingKey = (file: FileKey) => `${folderOf(file)}/incoming`;

/** In the order of the contract, as all answers. */
const uploadTo = ({ url, headers }: { url: string; headers: Record<string, string> }, expiresAt: Date) => ({
  method: 'PUT' as const,
  url,
  headers,
  expires_at: expiresAt.toISOString(),
});

/** Where a client uploads a new file, and when the collector checks it. */
export const uploadTarget = async ({ storage, urls, config }: Resources, file: FileKey, now: Date, expiresAt: Date) => {
  if (storage.direct) {
    const target = await storage.direct.target(incomingKey(file), expiresAt);
    return { upload: uploadTo(target, expiresAt), dueAt: new Date(now.getTime() + firstLookMs) };
  }
  return {
    upload: uploadTo({ url: urls.upload(file.workspace_id, file.id, expiresAt), headers: {} }, expiresAt),
    // An upload that began in time may end later.
    dueAt: new Date(expiresAt.getTime() + config.TRANSFER_TIMEOUT_MS),
  };
};

/** Collects files without bytes: accepts direct uploads, and rejects files whose bytes do not arrive in time. */
export const collectUploads = (context: ServiceContext): Sweeper => {
  const { CHECK_INTERVAL_MS: intervalMs, CHECK_LEASE_MS: leaseMs } = context.config;
  return runJobs(context, { kind: collecting, intervalMs, leaseMs, run: (job) => collect(context, job) });
};

const collect = async (context: ServiceContext, { workspace_id, key, attempts }: Job): Promise<Date | undefined> => {
  const { db, storage, now } = context;
  const file = await db.read((tx) => findFile(tx, workspace_id, key));
  if (file?.status !== 'pending') return undefined;
  if (storage.direct && (await acceptDirect(context, storage.direct, file))) return undefined;
  const moment = now();
  if (moment < file.upload_expires_at) return new Date(moment.getTime() + retryPause(attempts));
  await rejectPending(context, file, 'expired', null);
  return undefined;
};

/** @returns whether bytes had arrived */
const acceptDirect = async (context: ServiceContext, direct: DirectUploads, file: StoredFile): Promise<boolean> => {
  const { db, feed, config, checks, now } = context;
  const faultOf = (size: number): FileRejection | undefined => {
    if (size === 0) return 'empty';
    return size > config.MAX_FILE_BYTES ? 'too_large' : undefined;
  };
  const incoming = await direct.sizeOf(incomingKey(file));
  if (incoming === undefined) return false;
  const key = `${folderOf(file)}/content-${v7()}`;
  const isTaken = faultOf(incoming) === undefined;
  if (isTaken) await direct.copy(incomingKey(file), key);
  // The client may send other bytes at any time: only the copy counts.
  const size = isTaken ? ((await direct.sizeOf(key)) ?? 0) : incoming;
  const fault = faultOf(size);
  if (fault) {
    await rejectPending(context, file, fault, null);
    return true;
  }
  const received = { key, size, at: now(), requestId: null };
  await db.transaction((tx) => markReceived(tx, { ...file, upload_id: null }, received));
  checks.nudge();
  feed.nudge(file.workspace_id);
  return true;
};
