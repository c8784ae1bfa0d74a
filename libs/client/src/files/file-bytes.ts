/**
 * What a file's bytes are read from. A Blob (`openAsBlob` of `node:fs` makes one of a file on disk, without reading it)
 * and bytes in memory can be sent again after a failure; a stream is read once.
 */
export type FileBytes = Blob | Uint8Array | AsyncIterable<Uint8Array>;

/** Bytes as they are sent. */
export interface Source {
  body: Exclude<RequestInit['body'], undefined>;
  /** Whether the body can be read a second time. */
  isRepeatable: boolean;
  /** @throws what the stream itself failed with, if it did */
  throwIfFailed(): void;
  /** Closes a stream that was not read to its end: the file behind it would stay open. */
  release(): void;
}

/** @throws TypeError for a stream that somebody else reads */
export const sourceOf = (bytes: FileBytes): Source => {
  if (Symbol.asyncIterator in bytes) return readOnce(bytes[Symbol.asyncIterator]());
  return { body: bytes, isRepeatable: true, throwIfFailed: () => {}, release: () => {} };
};

const readOnce = (reader: AsyncIterator<Uint8Array>): Source => {
  let failure: { error: unknown } | undefined;
  const read = () => {
    const chunk = reader.next();
    chunk.catch((error: unknown) => {
      failure = { error };
    });
    return chunk;
  };
  // Nobody hears of the errors of Node's streams, and nobody closes them, until somebody reads.
  let ahead: ReturnType<typeof read> | undefined = read();
  const next = () => {
    const chunk = ahead ?? read();
    ahead = undefined;
    return chunk;
  };
  return {
    body: { [Symbol.asyncIterator]: () => ({ next }) },
    isRepeatable: false,
    throwIfFailed: () => {
      if (failure) throw failure.error;
    },
    release: () => {
      reader.return?.().catch(() => {});
    },
  };
};
