import type { Sweeper } from '@cardinal/runtime';
import type { Connections, createVisibility } from '@cardinal/service';
import type { ImageDecoder } from './checks/image.ts';
import type { Scanner } from './checks/scanner.ts';
import type { Config } from './config.ts';
import type { Tables } from './database.ts';
import type { Storage } from './storage/storage.ts';
import type { SignedUrls } from './transfers/signed-urls.ts';

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
