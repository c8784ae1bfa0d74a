import { connectBus } from '@cardinal/bus';
import { type DatabaseOwner, hasFeed, type InternalEvent, internalEvent } from '@cardinal/contracts';
import { type Database, openDatabase } from '@cardinal/db';
import { createLogger, type Logger, sweeper } from '@cardinal/runtime';
import { type Connections, type Running, serveFeed } from '@cardinal/service';
import { sql } from 'kysely';
import { atEndOfFile } from './run/end-of-file.ts';

/** Where an instance finds its database and the broker. */
export interface Where {
  databaseUrl: string;
  natsUrl: string;
}

interface Options {
  /** Silent where left out. */
  logger?: Logger;
  /** How long a write waits for its projection, ms. */
  bestEffortTimeoutMs?: number;
}

/**
 * An instance of a service, or of a part of one, inside the process, on a real bus and database; it is patient with a slow
 * machine. It ends with the test file, or before it by `stop`.
 * @param make starts it, as a `Service` does; its `sweepers` run too, but nothing else of `startService` does
 */
export const testInstance = async <Tables, Made extends Pick<Running<Tables>, 'parts' | 'sweepers' | 'idle'>>(
  name: DatabaseOwner,
  { databaseUrl, natsUrl }: Where,
  make: (connections: Connections<Tables>) => Made | Promise<Made>,
  { logger = createLogger({ service: name, level: 'silent' }), bestEffortTimeoutMs }: Options = {},
) => {
  const db = openDatabase<Tables>({ url: databaseUrl, name, poolSize: 5, connectTimeoutMs: 60_000 });
  const patience = { callTimeoutMs: 60_000, ...(bestEffortTimeoutMs !== undefined && { bestEffortTimeoutMs }) };
  const bus = await connectBus({ url: natsUrl, name, logger, ...patience });
  const feed = hasFeed(name) ? serveFeed(name, { db, bus }) : { nudge: () => {}, nudgeProjections: () => {} };
  const made = await make({ db, bus, feed, logger, now: () => new Date() });
  const sweepers = (made.sweepers ?? []).map((round) => sweeper({ ...round, logger }));
  const stop = atEndOfFile(async () => {
    for (const part of [...(made.parts ?? []), ...sweepers].reverse()) await part.stop();
    await bus.drain();
    await made.idle?.();
    await db.close();
  });
  return { ...made, db, bus, stop };
};

/** The internal events of a workspace, in the order of its owner's feed. */
export const internalEventsOf = async <Tables>(
  { db }: { db: Pick<Database<Tables>, 'read'> },
  workspaceId: string,
): Promise<InternalEvent[]> => {
  const { rows } = await db.read((tx) =>
    sql<{ event: unknown }>`
      select event from internal_events where workspace_id = ${workspaceId} order by seq`.execute(tx),
  );
  return rows.map(({ event }) => internalEvent.parse(event));
};

/** How many sessions of its database wait for a lock. */
export const waitingForLock = async <Tables>(db: Pick<Database<Tables>, 'read'>): Promise<number> => {
  const { rows } = await db.read((tx) =>
    sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(tx),
  );
  return rows.length;
};

/** Ends all connections to its database, as a server does that restarts: the next one may lead to another server. */
export const breakConnections = async <Tables>(db: Pick<Database<Tables>, 'read'>): Promise<void> => {
  await db
    .read((tx) =>
      // Its own comes last, or it would end before the others.
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and usename = current_user order by pid = pg_backend_pid()`.execute(tx),
    )
    .catch(() => undefined);
};
