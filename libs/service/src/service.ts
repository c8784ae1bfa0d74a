import type { Bus } from '@cardinal/bus';
import type { Document, RequestContract } from '@cardinal/contracts';
import type { Database, SqlGauge } from '@cardinal/db';
import type { Logger, Part, SweeperOptions } from '@cardinal/runtime';
import type { z } from 'zod';
import type { Feed } from './feeds/feed.ts';

/** The connections that a service with a database gets. */
export interface Connections<Tables> {
  db: Database<Tables>;
  /** Serves the service's requests and sends requests to other services, never inside a transaction. */
  bus: Bus;
  /** Call it after a commit that appended changes or internal events. */
  feed: Pick<Feed, 'nudge' | 'nudgeProjections'>;
  logger: Logger;
  now: () => Date;
}

/** What a service runs besides serving requests. */
export interface Running<Tables> {
  sweepers?: Omit<SweeperOptions, 'logger'>[];
  /** Data with a limited life, besides the feed. */
  retention?: { purge: (db: Database<Tables>, olderThan: Date) => Promise<unknown>; hours: number }[];
  /** Gauges of its tables by name, besides those of every service. */
  gauges?: Record<string, SqlGauge>;
  /** Own parts, in the order of their start. They stop before requests do. */
  parts?: Part[];
  /** Waits for background work of finished requests. Called when no further request arrives. */
  idle?: () => Promise<unknown>;
}

/** A service with a database: serves its contracts, and returns what else has to run. */
export type Service<Config, Tables> = (
  connections: Connections<Tables>,
  config: Config,
) => Running<Tables> | Promise<Running<Tables>>;

/** Answers one kind of request with a document that is JSON text already. Throws `CardinalError` to refuse it. */
export type DocumentHandler<Contract extends RequestContract> = (
  request: z.output<Contract['request']>,
) => Promise<Document<z.output<Contract['reply']>>>;
