import type { Bus } from '@cardinal/bus';
import type { Document, RequestContract } from '@cardinal/contracts';
import type { Database, Relay } from '@cardinal/db';
import type { z } from 'zod';
import { type Additions, createAdditions } from './graph/additions.ts';
import { createTurns, type InTurn } from './graph/turns.ts';
import type { Tables } from './store/database.ts';

/** What the service is built on. */
export interface Ground {
  bus: Bus;
  db: Database<Tables>;
  relay: Relay;
  now: () => Date;
}

/** What handlers and subscribers are made of; each takes only what it needs. */
export interface Parts extends Ground {
  additions: Additions;
  inTurn: InTurn;
}

/** Answers one kind of request. */
export type Handler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<z.output<Contract['reply']>>;

/** The same for what is answered as a document, written already. */
export type DocumentHandler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<Document<z.output<Contract['reply']>>>;

/** Puts together what is shared between requests. */
export const assemble = (ground: Ground): Parts => ({
  ...ground,
  additions: createAdditions(ground),
  inTurn: createTurns(),
});
