import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { createPool } from './pool.ts';
import { isConnectionFailure, refine } from './unavailable.ts';

/** A service's own database. */
export interface Database<Tables> {
  /**
   * Runs `fn` in one READ COMMITTED transaction; whatever it throws rolls back and is thrown on. `unavailable` where the
   * database is out of reach, also when the connection breaks at COMMIT: then the outcome is unknown, and the command id
   * makes the retry safe. `fn` must use nothing but `tx`.
   */
  transaction<T>(fn: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Runs reads outside a transaction; `fn` runs a second time where the connection fails, so it must not write. */
  read<T>(fn: (tx: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Resolves when the database answers, else throws `unavailable`. */
  check(): Promise<void>;
  /** Waits for what is under way, then closes every connection. */
  close(): Promise<void>;
}

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  /** `postgres://…` of the service's own role. */
  url: string;
  /** The service's name, as the server's activity view shows it. */
  name: string;
  /** Most connections at once; 10 by default. */
  poolSize?: number;
  /** Milliseconds until the server gives up on a statement; 10,000 by default. */
  statementTimeoutMs?: number;
}

/** Opens a pool; connects on first use. */
export function openDatabase<Tables>(options: DatabaseOptions): Database<Tables> {
  const { url, name, poolSize = 10, statementTimeoutMs = 10_000 } = options;
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createPool({ url, name, poolSize, statementTimeoutMs }) }),
  });

  // Run again once where the connection died before anything could have been written: a restarted server leaves dead
  // connections in the pool.
  const retried = async <T>(run: () => Promise<T>, mayRepeat: () => boolean): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      if (!isConnectionFailure(error) || !mayRepeat()) throw refine(error);
    }
    try {
      return await run();
    } catch (error) {
      throw refine(error);
    }
  };

  const read = <T>(fn: (tx: Kysely<Tables>) => Promise<T>) =>
    retried(
      () => fn(db),
      () => true,
    );

  return {
    transaction: (fn) => {
      let begun = false;
      return retried(
        () =>
          db.transaction().execute((tx) => {
            begun = true;
            return fn(tx);
          }),
        () => !begun,
      );
    },
    read,
    check: async () => {
      await read((tx) => sql`select 1`.execute(tx));
    },
    close: () => db.destroy(),
  };
}
