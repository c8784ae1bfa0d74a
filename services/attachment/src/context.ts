import type { Sweeper } from '@cardinal/runtime';
import type { Connections, createVisibility } from '@cardinal/service';
import type { ImageDecoder } from './checks/image.ts';
import type { Scanner } from './checks/scanner.ts';
import type { Tables } from './database.ts';
import type { Quotas } from './files/queries.ts';
import type { Storage } from './storage/storage.ts';
import type { SignedUrls } from './transfers/signed-urls.ts';

/** What the configuration names: where bytes are, who checks them, and how much may be. */
export interface Resources {
  storage: Storage;
  scanner: Scanner;
  decodeImage: ImageDecoder;
  urls: SignedUrls;
  limits: {
    maxFileBytes: number;
    uploadTtlMs: number;
    transferTimeoutMs: number;
    /** For one check, with all that belongs to it. */
    checkTimeoutMs: number;
    leaseMs: number;
    /** Of each workspace. */
    quotas: Quotas;
  };
}

/** What every operation, sweeper and transfer works with. */
export interface ServiceContext extends Connections<Tables>, Resources {
  visibility: ReturnType<typeof createVisibility>;
  /** Nudged where a file arrived. */
  checks: Sweeper;
  /** Nudged where bytes must go. */
  removals: Sweeper;
}
