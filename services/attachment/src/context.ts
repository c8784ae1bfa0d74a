import type { FileRejection, FileStatus } from '@cardinal/contracts';
import type { Transaction } from '@cardinal/db';
import type { Sweeper } from '@cardinal/runtime';
import type { Connections, createVisibility } from '@cardinal/service';
import type { ColumnType, Kysely, Selectable } from 'kysely';
import type { ImageDecoder } from './checks/image.ts';
import type { Scanner } from './checks/scanner.ts';
import type { Config } from './config.ts';
import type { Storage } from './storage/storage.ts';
import type { DB, Files } from './tables.gen.ts';
import type { SignedUrls } from './transfers/signed-urls.ts';

/** An image with the same content, stored beside a file. */
export interface StoredRendition {
  width: number;
  height: number;
  /** Bytes; absent where it was stored before they were counted. */
  size?: number;
  key: string;
}

/** The tables. For files, constraints are stricter than the types of columns. */
export interface Tables extends Omit<DB, 'files'> {
  files: Omit<Files, 'status' | 'rejection' | 'renditions'> & {
    status: FileStatus;
    rejection: FileRejection | null;
    renditions: ColumnType<StoredRendition[], string | undefined, string>;
  };
}

/** The transaction that every query takes first. */
export type Tx = Transaction<Tables>;

/** A transaction, or a handle outside of one, for queries that only read. */
export type Reader = Kysely<Tables>;

export type StoredFile = Selectable<Tables['files']>;

/** The configuration with storage, scanner and decoder. */
export interface Resources {
  config: Config;
  storage: Storage;
  scanner: Scanner;
  decodeImage: ImageDecoder;
  urls: SignedUrls;
}

/** What operations, sweepers and transfers share. */
export interface ServiceContext extends Connections<Tables>, Resources {
  visibility: ReturnType<typeof createVisibility>;
  /** Nudge it when a file has arrived. */
  checks: Sweeper;
  /** Nudge it when bytes must be removed. */
  removals: Sweeper;
}
