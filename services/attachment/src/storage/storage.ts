import type { Readable } from 'node:stream';

/** A file that has bytes, or may have. */
export interface FileKey {
  workspace_id: string;
  id: string;
}

/** The folder of a file in the storage. */
export const folderOf = ({ workspace_id, id }: FileKey) => `${workspace_id}/${id}`;

/** Part of a file, in bytes from its start, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Uploads directly to the storage, not through this service. */
export interface DirectUploads {
  /** The URL to which the client sends the bytes, and the headers that it must send. */
  target(key: string, expiresAt: Date): Promise<{ url: string; headers: Record<string, string> }>;
  /** Bytes that arrived under the key; undefined where none did. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Copies to a place that no upload URL reaches. */
  copy(from: string, to: string): Promise<void>;
}

/**
 * The storage of bytes. Keys are `<workspace>/<file>/<name>`. A put stores everything or nothing. Everything streams:
 * no file is held in memory.
 */
export interface Storage {
  /** Rejects with the error of the source; then nothing is stored. */
  put(key: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes, or those of a range; undefined where the key has none. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /**
   * Lends the bytes as a file on this machine. Rejects where the key has none.
   * @param signal aborts when the caller no longer needs them
   */
  withFile<T>(key: string, signal: AbortSignal, use: (path: string) => Promise<T>): Promise<T>;
  remove(key: string): Promise<void>;
  /** Removes everything under `<workspace>/<file>`, except these keys. */
  removeAll(folder: string, keep: ReadonlySet<string>): Promise<void>;
  /** Removes what killed processes left half done. */
  clearAbandoned(): Promise<void>;
  /** Undefined where clients upload to this service. */
  direct: DirectUploads | undefined;
}
