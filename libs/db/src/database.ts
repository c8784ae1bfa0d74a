import { unavailable } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { Kysely, PostgresDialect, type RawBuilder, sql, type Transaction } from 'kysely';
import { isBroken, isFull, refine } from './errors.ts';
import { createPool } from './pool.ts';

/** A service's own database. */
export type Database<Tables> = ReturnType<typeof openDatabase<Tables>>;

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** `postgres://…` of the service's own role. */
  url: string;
  /** The service's name, for the server's activity view. */
  name: string;
  /** Most connections at once; 10 by default. */
  poolSize?: number;
  /** Milliseconds until the server gives up on a statement; what the role carries by default, which is below 25 s. */
  statementTimeoutMs?: number;
  /**
   * Milliseconds that a caller waits for a free or a new connection; 10,000 by default. Longer than the deadlines of
   * requests, which are what ends theirs: on a busy machine a queue that moves is no database out of reach.
   */
  connectTimeoutMs?: number;
}

/** The client waits this much longer for an answer than the server may take for it, ms. */
const graceMs = 5_000;

/** Takes a page of the disk for a moment. Reads work on a full disk, so only a write finds out. */
const takeRoom = `create temporary table room on commit drop as select repeat('.', 4096) as page`;

/** Opens a database; it connects on first use. */
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
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: () => createPool(config, server) }) });

  /** A write found no room, and none has been found since. */
  let full = false;
  /**
   * A server that restarted leaves dead connections in the pool, which shows when one is used; after that the pool gives
   * out new ones, so what has had no effect is tried a second time.
   */
  const run = async <T>(attempt: () => Promise<T>, isHarmless = () => true): Promise<T> => {
    try {
      return await attempt();
    } catch (error) {
      full ||= isFull(error);
      if (!isHarmless() || !isBroken(error)) throw refine(error);
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
     * Runs `fn` in one READ COMMITTED transaction; an error rolls back and is rethrown. `unavailable` where the
     * database is out of reach, also when the connection breaks at COMMIT: then the outcome is unknown, and the command
     * id makes the retry safe. `fn` must use no other handle than `tx`.
     */
    transaction,
    /** Runs reads outside a transaction. `fn` runs again where a connection broke, so it must not write. */
    read,
    /**
     * Runs one statement, which is a transaction of its own: two round trips less. `fn` runs again where a connection
     * broke, so its statement must be one that may be repeated.
     */
    statement: <T>(fn: (tx: Kysely<Tables>) => Promise<T>): Promise<T> =>
      run(() =>
        // With its connection in hand: what `fn` finds known of the server is known of the one that it writes to.
        db.connection().execute((tx) => {
          assertNotVoid();
          return fn(tx);
        }),
      ),
    /**
     * Rises whenever the server may have become another one: one that was restored from a backup must break the
     * connections to its predecessor. Keep it beside anything cached from the database.
     */
    serverGeneration: () => server.generation,
    /** Resolves when the database answers and, where its disk was full, has room again; else throws `unavailable`. */
    check: async (): Promise<void> => {
      await read((tx) => sql`select 1`.execute(tx));
      if (!full) return;
      await transaction((tx) => sql.raw(takeRoom).execute(tx));
      full = false;
    },
    /** Waits for what is under way, then closes every connection. */
    close: () => db.destroy(),
  };
}

/**
 * @throws CardinalError `unavailable` where the caller has given up the current request, which then may not be carried
 * out
 */
const assertNotVoid = (): void => {
  const { voidAtDeadline, deadline = 0 } = currentContext() ?? {};
  if (voidAtDeadline && deadline <= Date.now()) throw unavailable('The deadline passed before the write was done');
};

/** Rows deleted in one transaction, to keep locks short. */
const chunk = 5_000;

/**
 * Deletes all rows of a table that `condition` picks, some thousands at a time; passes over rows that are locked.
 * Returns how many.
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
