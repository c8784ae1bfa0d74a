import type { Bus } from '@cardinal/bus';
import type { Database, Relay } from '@cardinal/db';
import type { Logger, Sweeper } from '@cardinal/runtime';
import type { ImageDecoder } from './checks/image.ts';
import type { Scanner } from './checks/scanner.ts';
import type { SignedUrls } from './links/signed-urls.ts';
import type { Storage } from './storage/storage.ts';
import type { DB } from './store/tables.gen.ts';
import type { Quotas } from './store/usage.ts';
import { createUploadTargets, type UploadTargets } from './uploads/targets.ts';
import { type Announce, createAnnounce } from './writing/announce.ts';
import { createSight, type Sight } from './writing/sight.ts';

interface Limits {
  maxFileBytes: number;
  uploadTtlMs: number;
  transferTimeoutMs: number;
  /** For one check, with all that belongs to it. */
  checkTimeoutMs: number;
  leaseMs: number;
  /** Of each workspace. */
  quotas: Quotas;
}

/** What the service is built on. */
export interface Ground {
  bus: Pick<Bus, 'call' | 'callBestEffort'>;
  db: Database<DB>;
  relay: Pick<Relay, 'nudge'>;
  logger: Logger;
  now: () => Date;
  storage: Storage;
  scanner: Scanner;
  urls: SignedUrls;
  limits: Limits;
  decodeImage: ImageDecoder;
}

/** What handlers, subscribers, sweepers and transfers are made of; each takes only what it needs. */
export interface Parts extends Ground {
  sight: Sight;
  announce: Announce;
  uploads: UploadTargets;
  /** Nudged where a file arrived. */
  checks: Pick<Sweeper, 'nudge'>;
  /** Nudged where bytes must go. */
  removals: Pick<Sweeper, 'nudge'>;
}

/** Puts together what is shared between requests. The sweepers are made of the parts, and take their places in them. */
export const assemble = (ground: Ground): Parts => ({
  ...ground,
  sight: createSight(ground.bus),
  announce: createAnnounce(ground),
  uploads: createUploadTargets(ground),
  checks: { nudge: () => {} },
  removals: { nudge: () => {} },
});
