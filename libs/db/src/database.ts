import { unavailable } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { Kysely, PostgresDialect, type PostgresPool, type RawBuilder, sql, type Transaction } from 'kysely';
import { isBroken, isConflict, isFull, refine } from './errors.ts';
import { createPool, runPreparedOn } from './pool.ts';

/** The database of a service. */
export type Database<Tables> = ReturnType<typeof openDatabase<Tables>>;

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** `postgres://…` with the service's own role. */
  url: string;
  /** Name of the service, for `pg_stat_activity`. */
  name: string;
  /** Most connections; 10 by default. */
  poolSize?: number;
  /** Time limit of a statement on the server, ms; by default that of the role, which is below 25 s. */
  statementTimeoutMs?: number;
  /**
   * How long a caller waits for a free or new connection, ms; 10,000 by default. The deadlines of requests end
   * sooner: on a busy machine a slow queue is not a lost database.
   */
  connectTimeoutMs?: number;
}

/** How much longer the client waits than the server's limit, ms. */
const graceMs = 5_000;

/** Allocates a page of the disk for a moment. Reads work on a full disk, so only a write detects it. */
const takeRoom = `create temporary table room on commit drop as select repeat('.', 4096) as page`;

/** Opens a database. It connects on first use. */
export function openDatabase<Tables>(options: DatabaseOptions) {
  const { url, name, poolSize = 10, statementTimeoutMs, connectTimeoutMs = 10_000 } = options;
  const server = { generation: 0 };
  const config = {
    connectionString: url,
    application_name: name,
    max: poolSize,
    statement_timeout: statementTimeoutMs,
    query_timeout: (statementTimeoutMs ?? 25_000) + graceMs,
    connectionTimeoutMillis: connectTimeoutMs,
  };
  let opened: Promise<PostgresPool> | undefined;
  let closed: Promise<void> | undefined;
  const pool = () => {
    opened ??= createPool(config, server);
    return opened;
  };
  // Kysely would not close a pool that it has not used.
  const lent = async () => ({ ...(await pool()), end: async () => {} });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: lent }) });
  runPreparedOn(db, pool);

  /** A write found the disk full, and none has succeeded since. */
  let full = false;
  /**
   * Retries once what had no effect: what met another write, and what met a dead connection. A server that restarted
   * leaves those in the pool; the first use detects them, and the pool opens new ones.
   */
  const run = async <T>(attempt: () => Promise<T>, isHarmless = () => true): Promise<T> => {
    try {
      return await attempt();
    } catch (error) {
      full ||= isFull(error);
      if (!isHarmless() || !(isBroken(error) || isConflict(error))) throw refine(error);
    }
    return attempt().catch((error) => {
      throw refine(error);
    });
  };

  const transaction = <T>(fn: (tx: Transaction<Tables>) => Promise<T>): Promise<T> => {
    let begun = false;
    const attempt = () =>
      db.transaction().execute(async (tx) => {
        begun = true;
        const result = await fn(tx);
        assertNotVoid();
        return result;
      });
    return run(attempt, () => !begun);
  };
  const read = <T>(fn: (tx: Kysely<Tables>) => Promise<T>): Promise<T> => run(async () => fn(db));

  return {
    /**
     * Runs `fn` in one READ COMMITTED transaction. An error rolls it back and is rethrown. `fn` must use `tx` alone.
     * @throws CardinalError `unavailable` where the connection fails, also at COMMIT: then the outcome is unknown, and
     * the command makes a retry safe
     */
    transaction,
    /** Runs reads outside a transaction. `fn` runs again where a connection breaks, so it must not write. */
    read,
    /**
     * Runs one statement, which is a transaction of its own and saves two round trips. `fn` runs again where a
     * connection breaks or a deadlock ends it, so its statement must be safe to repeat.
     */
    statement: <T>(fn: (tx: Kysely<Tables>) => Promise<T>): Promise<T> =>
      run(() =>
        // With a connection in hand, the server generation that `fn` reads is that of the server it writes to.
        db.connection().execute((tx) => {
          assertNotVoid();
          return fn(tx);
        }),
      ),
    /**
     * Rises when the server behind the pool may have changed: a server restored from a backup must break the
     * connections to its predecessor. Store it with anything cached from the database.
     */
    serverGeneration: () => server.generation,
    /** Resolves where the database answers and a full disk has room again. @throws CardinalError `unavailable` */
    check: async (): Promise<void> => {
      await read((tx) => sql`select 1`.execute(tx));
      if (!full) return;
      await transaction((tx) => sql.raw(takeRoom).execute(tx));
      full = false;
    },
    /** Waits for running queries, then closes every connection. */
    close: (): Promise<void> => {
      closed ??= db.destroy().then(async () => (await opened)?.end());
      return closed;
    },
  };
}

/**
 * Refuses to commit after the deadline of a request that is void then (`voidAtDeadline`).
 * @throws CardinalError `unavailable`
 */
const assertNotVoid = (): void => {
  const { voidAtDeadline, deadline = 0 } = currentContext() ?? {};
  if (voidAtDeadline && deadline <= Date.now()) throw unavailable('The deadline passed before the write was done');
};

/** Rows deleted per transaction, to keep locks short. */
const chunk = 5_000;

/**
 * Deletes all rows of a table that meet `condition`, some thousands at a time. Skips locked rows.
 * @returns how many
 */
export async function purge<Tables>(
  db: Database<Tables>,
  table: string,
  condition: RawBuilder<unknown>,
): Promise<number> {
  let purged = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await db.transaction((tx) =>
      sql`
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where ${condition} limit ${chunk} for update skip locked
        ))`.execute(tx),
    );
    purged += Number(numAffectedRows);
    if (numAffectedRows < chunk) return purged;
  }
}
