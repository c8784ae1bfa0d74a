import type { Bus } from '@cardinal/bus';
import type { Document, RequestContract } from '@cardinal/contracts';
import type { Database, SqlGauge } from '@cardinal/db';
import type { Logger, Part, SweeperOptions } from '@cardinal/runtime';
import type { z } from 'zod';
import type { Feed } from './feeds/feed.ts';

/** What every service with a database is built on. */
export interface Connections<Tables> {
  db: Database<Tables>;
  /** Asks other services, never inside a transaction, and serves them. */
  bus: Bus;
  /** Nudged after a commit that appended changes or internal events. */
  feed: Pick<Feed, 'nudge' | 'nudgeProjections'>;
  logger: Logger;
  now: () => Date;
}

/** What a service runs in addition to serving requests. */
export interface Running<Tables> {
  sweepers?: Omit<SweeperOptions, 'logger'>[];
  /** Data that it keeps only for a time, besides its feed. */
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
