import type { createFileBody, File, newFile } from '@cardinal/contracts';
import type { z } from 'zod';
import { download } from '../files/download.ts';
import { type FileBytes, sourceOf } from '../files/file-bytes.ts';
import { sendBytes } from '../files/send-bytes.ts';
import { untilClean, type WaitOptions } from '../files/until-clean.ts';
import { type ListOptions, listingOf } from '../listing.ts';
import { pathTo } from '../path.ts';
import type { CallOptions, PostOptions, Send, TransportOptions } from '../transport.ts';
import type { DataOf } from './versioned.ts';

export type NewFile = z.input<typeof createFileBody>;
/** A file without bytes, and where they go. */
export type CreatedFile = z.infer<typeof newFile>;

export interface UploadOptions extends WaitOptions, Pick<PostOptions, 'idempotencyKey'> {
  /** Bytes of a stream, where they are known: storages of the S3 kind take no stream without it. */
  size?: number;
}

/** Files. Every call throws ApiError or ConnectionError. */
export const files = (send: Send, transport: TransportOptions) => {
  const create = async (file: NewFile, options?: PostOptions) =>
    (await send<DataOf<CreatedFile>>({ method: 'POST', path: '/files', body: file }, options)).data;
  const get = async (id: string, options?: CallOptions) =>
    (await send<DataOf<File>>({ method: 'GET', path: pathTo`/files/${id}` }, options)).data;
  const waitUntilClean = (id: string, options: WaitOptions = {}) => untilClean(() => get(id, options), options);

  const deliver = async (file: NewFile, bytes: FileBytes, options: UploadOptions) => {
    const source = sourceOf(bytes);
    try {
      let replayed = false;
      const { id, upload } = await create(file, {
        ...options,
        onReply: (reply) => {
          replayed = reply.replayed;
        },
      });
      // A replay tells what was then: the bytes may have arrived since.
      const isAwaited = !replayed || (await get(id, options)).status === 'pending';
      if (isAwaited) await sendBytes(upload, source, transport, options);
      return id;
    } finally {
      source.release();
    }
  };

  return {
    /**
     * Creates a file, sends its bytes and waits until they are checked. A file that failed stays, with its reason.
     * Repeated under one `idempotencyKey` of the caller's own it goes on where it ended.
     * @throws FileNotCleanError, a refusal of the bytes as ApiError (`payload_too_large`), what a stream failed with
     */
    upload: async (file: NewFile, bytes: FileBytes, options: UploadOptions = {}) =>
      waitUntilClean(await deliver(file, bytes, options), options),
    /** Makes a file whose bytes are still to be sent, as `upload` in it says. */
    create,
    /** Oldest first. */
    list: (options?: ListOptions) => listingOf<File>(send, { path: '/files' }, options),
    get,
    /**
     * The file as soon as its checks ended well.
     * @throws FileNotCleanError where they ended badly, or not within `waitMs`
     */
    waitUntilClean,
    /** The bytes of a clean file as they arrive: the answer's `body` is a stream. 409 before, 422 after a failed check. */
    download: (id: string, options?: CallOptions) => download(pathTo`/files/${id}/content`, transport, options),
    /** The covers and links that it is vanish with it. */
    delete: (id: string, options?: CallOptions) =>
      send<void>({ method: 'DELETE', path: pathTo`/files/${id}` }, options),
  };
};
