import { exchange, jsonOf, pause, type Transport } from './calls.ts';
import { CardinalError } from './errors.ts';
import type { CreateFileInput, File, NewFile, Operations } from './operations.gen.ts';
import type { CallOptions, PostOptions } from './options.ts';

/**
 * A Blob (`openAsBlob` of `node:fs` makes one of a file on disk, without reading it) and bytes in memory can be sent
 * again after a failure; a stream is read once. Browsers send streams over HTTP/2 only.
 */
export type FileBytes = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** Options of the wait for a file. */
export interface WaitOptions extends Pick<CallOptions, 'signal'> {
  /** How long the checks may take, milliseconds; 120,000 by default. */
  waitMs?: number | undefined;
}

export interface UploadOptions extends WaitOptions, Pick<PostOptions, 'idempotencyKey'> {
  /** Bytes of a stream, where they are known: storages of the S3 kind take no stream without it. */
  size?: number | undefined;
}

/** Helpers that call several operations. */
export interface FileTransfers {
  /**
   * Creates a file, sends its bytes and waits until they are checked. A file that failed stays, with its reason.
   * Repeated under one `idempotencyKey` of the caller's own it goes on where it ended.
   * @throws CardinalError `file_not_clean`, a refusal of the bytes (`payload_too_large`); what a stream failed with
   */
  upload(file: CreateFileInput, bytes: FileBytes, options?: UploadOptions): Promise<File>;
  /** The file once its checks ended well. @throws CardinalError `file_not_clean` where they did not within `waitMs` */
  waitUntilClean(fileId: string, options?: WaitOptions): Promise<File>;
}

interface Source {
  body: Exclude<RequestInit['body'], undefined>;
  isRepeatable: boolean;
  /** @throws the stream's own error, if it failed */
  throwIfFailed?(): void;
  /** Closes a stream that was not read to its end: the file behind it would stay open. */
  release?(): void;
}

/** The chunks of a stream: not every browser's streams are async iterables. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

const readOnce = (reader: AsyncIterator<Uint8Array>): Source => {
  let failure: { error: unknown } | undefined;
  const read = () => {
    const chunk = reader.next();
    chunk.catch((error: unknown) => {
      failure = { error };
    });
    return chunk;
  };
  // Errors of Node's streams are lost and the streams stay open until they are read, so reading begins at once.
  let ahead: ReturnType<typeof read> | undefined = read();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk = await (ahead ?? read());
        ahead = undefined;
        if (chunk.done) controller.close();
        else controller.enqueue(chunk.value);
      },
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    isRepeatable: false,
    throwIfFailed: () => {
      if (failure) throw failure.error;
    },
    release: () => {
      reader.return?.().catch(() => {});
    },
  };
};

/** @throws TypeError for a stream that already has a reader */
const sourceOf = (bytes: FileBytes): Source => {
  if (bytes instanceof Blob || bytes instanceof Uint8Array) {
    return { body: bytes as Source['body'], isRepeatable: true };
  }
  return readOnce(
    Symbol.asyncIterator in bytes ? bytes[Symbol.asyncIterator]() : chunksOf(bytes as ReadableStream<Uint8Array>),
  );
};

/**
 * Sends bytes to the upload URL, with the headers that the API named and no others: the URL is a permission, and the token
 * must not be sent elsewhere. A stream is never held in memory whole, nor sent a second time.
 * @throws CardinalError (`payload_too_large`, `insufficient_scope` for a URL that expired; `unexpected_response` of a
 *   bucket)
 */
const sendBytes = async (
  { method, url, headers }: NewFile['upload'],
  source: Source,
  transport: Transport,
  { signal, size }: UploadOptions,
): Promise<void> => {
  const outgoing = {
    operation: 'sendBytes',
    method,
    url,
    body: source.body,
    timeoutMs: undefined,
    headers: () => (size === undefined ? headers : { ...headers, 'content-length': String(size) }),
    isRepeatable: source.isRepeatable,
    retry: source.isRepeatable ? transport.retry : { ...transport.retry, attempts: 1 },
    read: async (response: Response) => {
      const body = await jsonOf(response);
      return response.ok ? { answer: undefined } : { body };
    },
    ...(source.throwIfFailed && { onLost: source.throwIfFailed }),
  };
  try {
    await exchange(transport, outgoing, { signal });
  } catch (error) {
    // The file has its bytes or was given up, perhaps by a sending whose answer was lost: read its state.
    if (!(error instanceof CardinalError && error.code === 'conflict')) throw error;
  }
};

const isUnderWay = ({ status }: File) => status === 'pending' || status === 'scanning';

const notClean = (file: File) => {
  const { status, rejection } = file;
  const state = isUnderWay(file) ? `still ${status}` : rejection === null ? status : `${status}: ${rejection}`;
  const message = `The file ${JSON.stringify(file.name)} is ${state}`;
  return new CardinalError({ code: 'file_not_clean', message, details: { file } });
};

/** Milliseconds until the next read: most checks take less than a second, some wait for a busy scanner. */
export const pauseAfter = (looks: number): number => Math.min(3_000, 100 * 2 ** (looks - 1));

/** The helpers for files that call several operations. */
export const fileTransfers = ({ create, get }: Operations['files'], transport: Transport): FileTransfers => {
  const waitUntilClean = async (id: string, { waitMs = 120_000, signal }: WaitOptions = {}) => {
    const end = performance.now() + waitMs;
    for (let looks = 1; ; looks += 1) {
      const file = await get(id, { signal });
      if (file.status === 'clean') return file;
      const leftMs = end - performance.now();
      if (!isUnderWay(file) || leftMs <= 0) throw notClean(file);
      await pause(Math.min(pauseAfter(looks), leftMs), signal);
    }
  };

  const deliver = async (file: CreateFileInput, bytes: FileBytes, options: UploadOptions) => {
    const source = sourceOf(bytes);
    try {
      let replayed = false;
      const { idempotencyKey, signal } = options;
      const onReply = (reply: { replayed: boolean }) => {
        replayed = reply.replayed;
      };
      const { id, upload } = await create(file, { idempotencyKey, signal, onReply });
      // A replay shows the state of the first answer: the bytes may have arrived since.
      const isAwaited = !replayed || (await get(id, { signal })).status === 'pending';
      if (isAwaited) await sendBytes(upload, source, transport, options);
      return id;
    } finally {
      source.release?.();
    }
  };

  return {
    upload: async (file, bytes, options = {}) => waitUntilClean(await deliver(file, bytes, options), options),
    waitUntilClean,
  };
};
