import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { unavailable } from '@cardinal/contracts';
import type { Config } from '../config.ts';
import { writeNewFile } from './local-folder.ts';
import type { ByteRange, Storage } from './storage.ts';

/** Time limits of connecting, of the first bytes of a download, and of everything else, ms, with all attempts. */
const [connectMs, firstBytesMs, answerMs] = [3_000, 8_000, 60_000];
const contentType = 'application/octet-stream';

/** A bucket that gives no answer, or answers that it cannot serve now. */
const isOutage = (error: unknown) => {
  const { httpStatusCode: status } = (error as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {};
  return status === undefined || status >= 500 || status === 429;
};

/**
 * Runs requests to the bucket within a time.
 * @param run its signal aborts then, and never after it ended: a body is read for longer
 * @throws CardinalError `unavailable` where the bucket is out of reach, or does not answer in time
 */
const within = async <T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await run(late.signal);
  } catch (error) {
    throw isOutage(error) ? unavailable('The bucket of files does not answer', error) : error;
  } finally {
    clearTimeout(timer);
  }
};

/** Waits until a body has bytes to read, or ends: before them the answer can still be a 503. */
const firstBytesOf = async (body: Readable, signal: AbortSignal): Promise<void> => {
  if (body.readableLength > 0 || body.readableEnded) return;
  await once(body, 'readable', { signal }).catch((error) => {
    body.on('error', () => undefined).destroy();
    throw error;
  });
};

/**
 * Stores bytes in a bucket; region and credentials come from the AWS SDK's own variables. Clients upload to the bucket
 * itself, with a presigned URL. The upload is copied before it is checked, so the URL reaches no checked bytes.
 * @param config `S3_ENDPOINT` of another server than Amazon's, whose buckets are in the path; and the folder of files
 * that are being checked
 */
export const s3 = (
  Bucket: string,
  { S3_ENDPOINT: endpoint, SCRATCH_FOLDER: scratchFolder }: Pick<Config, 'S3_ENDPOINT' | 'SCRATCH_FOLDER'>,
): Storage => {
  const client = new S3Client({
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    requestHandler: { connectionTimeout: connectMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
    // Presigned uploads cannot carry checksums of unknown bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });

  const send: typeof client.send = (command: never) =>
    within(answerMs, (abortSignal) => client.send(command, { abortSignal }));

  const read = (Key: string, range?: ByteRange) =>
    within(firstBytesMs, async (abortSignal) => {
      const Range = range && `bytes=${range.start}-${range.end}`;
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }), { abortSignal });
        if (!(Body instanceof Readable)) throw new Error('the storage answered no stream');
        await firstBytesOf(Body, abortSignal);
        return Body;
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    });

  return {
    // Only renditions, which are small, go through here.
    async put(Key, source) {
      const Body = await buffer(source);
      await send(new PutObjectCommand({ Bucket, Key, Body, ContentType: contentType }));
    },
    read,
    async withFile(key, signal, use) {
      await mkdir(scratchFolder, { recursive: true, mode: 0o700 });
      const path = join(scratchFolder, randomUUID());
      try {
        const bytes = await read(key);
        if (!bytes) throw new Error('the storage has nothing under the key');
        await writeNewFile(path, addAbortSignal(signal, bytes));
        return await use(path);
      } finally {
        await rm(path, { force: true });
      }
    },
    async remove(Key) {
      await send(new DeleteObjectCommand({ Bucket, Key }));
    },
    async removeAll(folder, keep) {
      for (;;) {
        // A file never has more than the 1,000 objects of one answer.
        const { Contents = [] } = await send(new ListObjectsV2Command({ Bucket, Prefix: `${folder}/` }));
        const Objects = Contents.filter(({ Key = '' }) => !keep.has(Key)).map(({ Key }) => ({ Key }));
        if (Objects.length === 0) return;
        const { Errors = [] } = await send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
        if (Errors.length > 0) throw new Error(`the storage kept ${Errors.length} objects: ${Errors[0]?.Code}`);
      }
    },
    clearAbandoned: async () => {},
    direct: {
      async target(Key, expiresAt) {
        const command = new PutObjectCommand({ Bucket, Key, ContentType: contentType });
        const expiresIn = Math.max(1, Math.floor((expiresAt.getTime() - Date.now()) / 1000));
        const url = await getSignedUrl(client, command, { expiresIn, signableHeaders: new Set(['content-type']) });
        return { url, headers: { 'content-type': contentType } };
      },
      async sizeOf(Key) {
        try {
          return (await send(new HeadObjectCommand({ Bucket, Key }))).ContentLength;
        } catch (error) {
          if (error instanceof NotFound) return undefined;
          throw error;
        }
      },
      async copy(from, Key) {
        const CopySource = encodeURI(`${Bucket}/${from}`);
        await send(new CopyObjectCommand({ Bucket, Key, CopySource }));
      },
    },
  };
};
