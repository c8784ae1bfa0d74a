import type { Bus } from '@cardinal/bus';
import type { ConsumerContract, Document, RequestContract } from '@cardinal/contracts';
import { type Database, deadLetter, type Relay, type SqlGauge } from '@cardinal/db';
import type { Logger, Part, SweeperOptions } from '@cardinal/runtime';
import type { z } from 'zod';
import type { Feed } from './feed.ts';

/** What every service with a database is built on. */
export interface Connections<Tables> {
  db: Database<Tables>;
  /** Asks other services, never inside a transaction, and serves them. */
  bus: Bus;
  /** Nudged after a commit that appended events. */
  relay: Pick<Relay, 'nudge'>;
  /** Nudged after a commit that appended changes. */
  feed: Pick<Feed, 'nudge'>;
  logger: Logger;
  now: () => Date;
}

/** What a service runs in addition to serving requests and events. */
export interface Running<Tables> {
  sweepers?: Omit<SweeperOptions, 'logger'>[];
  /** Data that it keeps only for a time, besides its outbox. */
  retention?: { purge: (db: Database<Tables>, olderThan: Date) => Promise<unknown>; hours: number }[];
  /** Gauges of its tables, by name, in addition to those that every service has. */
  gauges?: Record<string, SqlGauge>;
  /** Own parts, in the order of their start: they stop before requests do. */
  parts?: Part[];
  /** Waits for what requests left to be done in the background; no further request comes. */
  idle?: () => Promise<unknown>;
}

/** A service with a database, as it declares itself: serves its contracts, and says what else has to run. */
export type Service<Config, Tables> = (
  connections: Connections<Tables>,
  config: Config,
) => Running<Tables> | Promise<Running<Tables>>;

/** Answers one kind of request with a document, which is written already; throws a `CardinalError` to refuse it. */
export type DocumentHandler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<Document<z.output<Contract['reply']>>>;

interface Projection<Event extends z.ZodType> {
  /** Hands an event over before its writer is answered, so that the next read shows what was written. */
  request: RequestContract<Event, z.ZodObject<{ applied: z.ZodBoolean }>>;
  consumer: ConsumerContract;
  /** Stores what an event says, only if newer; answers whether something changed. */
  project: (event: z.output<Event>) => Promise<{ applied: boolean }>;
}

/** Takes in another service's events, whichever way they come first (architecture, "Read your writes, across services"). */
export const serveProjection = <Event extends z.ZodType, Tables>(
  { bus, db }: Pick<Connections<Tables>, 'bus' | 'db'>,
  { request, consumer, project }: Projection<Event>,
): void => {
  bus.serve(request, project);
  bus.consume({
    consumer,
    handle: async (event) => {
      await project(request.request.parse(event));
    },
    onPoison: (event, error) => deadLetter(db, event, error),
  });
};
