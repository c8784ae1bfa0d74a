import type { Bus } from '@cardinal/bus';
import type { RequestContract } from '@cardinal/contracts';
import type { Database, Relay } from '@cardinal/db';
import type { Logger } from '@cardinal/runtime';
import type { z } from 'zod';
import { createLookups, type Lookups } from './ledger/lookups.ts';
import type { DB } from './store/tables.gen.ts';
import { type Announce, createAnnounce } from './workstreams/announce.ts';
import { createMains, type Mains } from './workstreams/mains.ts';

/** What the service is built on. */
export interface Ground {
  bus: Bus;
  db: Database<DB>;
  relay: Relay;
  logger: Logger;
  now: () => Date;
}

/** What handlers and sweepers are made of; each takes only what it needs. */
export interface Parts extends Ground {
  announce: Announce;
  mains: Mains;
  lookups: Lookups;
}

/** Answers one kind of request. */
export type Handler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<z.output<Contract['reply']>>;

/** Puts together what is shared between requests. */
export const assemble = (ground: Ground): Parts => {
  const announce = createAnnounce(ground);
  return {
    ...ground,
    announce,
    mains: createMains({ ...ground, announce }),
    lookups: createLookups(ground),
  };
};
