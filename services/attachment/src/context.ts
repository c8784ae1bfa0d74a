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

/** An image with the same content that is stored beside a file. */
export interface StoredRendition {
  width: number;
  height: number;
  /** Bytes; none where it was stored before they were counted. */
  size?: number;
  key: string;
}

/** The tables; of files the constraints say more than the types of the columns. */
export interface Tables extends Omit<DB, 'files'> {
  files: Omit<Files, 'status' | 'rejection' | 'renditions'> & {
    status: FileStatus;
    rejection: FileRejection | null;
    renditions: ColumnType<StoredRendition[], string | undefined, string>;
  };
}

/** The transaction that every query takes first. */
export type Tx = Transaction<Tables>;

/** A query that only reads takes a transaction or a handle outside of one. */
export type Reader = Kysely<Tables>;

export type StoredFile = Selectable<Tables['files']>;

/** The configuration and what it names: where bytes are, and who checks them. */
export interface Resources {
  config: Config;
  storage: Storage;
  scanner: Scanner;
  decodeImage: ImageDecoder;
  urls: SignedUrls;
}

/** What every operation, sweeper and transfer works with. */
export interface ServiceContext extends Connections<Tables>, Resources {
  visibility: ReturnType<typeof createVisibility>;
  /** Nudged where a file arrived. */
  checks: Sweeper;
  /** Nudged where bytes must go. */
  removals: Sweeper;
}
