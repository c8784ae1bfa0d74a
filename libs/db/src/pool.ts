import { createHash } from 'node:crypto';
import { createFairSemaphore, gauge } from '@cardinal/runtime';
import {
  CompiledQuery,
  type PostgresClientConstructor,
  type PostgresPool,
  type PostgresPoolClient,
  type QueryExecutorProvider,
} from 'kysely';
import type { ClientBase, ClientConfig, CustomTypesConfig, Pool, PoolClient, PoolConfig } from 'pg';
import { isBroken } from './errors.ts';
import { writableHost } from './hosts.ts';

/** Changes after a restart, and after the database is dropped and recreated. */
const serverIdentity = `select concat_ws(' ', pg_postmaster_start_time(), oid) as server
  from pg_database where datname = current_database()`;

/**
 * Makes a pool for Kysely. A broken connection never ends the process and is never given out again. One workspace has
 * half of the connections at most, and waiting requests share fairly (`createFairSemaphore`).
 * @param server its generation rises when a connection breaks, or opens while no other is open: the server may have
 * changed then, and older connections are not used any more
 */
export async function createPool(config: PoolConfig, server = { generation: 0 }): Promise<PostgresPool> {
  // Loaded at the first query: telemetry has to start earlier to instrument it.
  const { default: pg } = await import('pg');
  const types: CustomTypesConfig = {
    // Counters and sizes, all far below 2^53.
    getTypeParser: (oid, format) =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  const host = writableHost(pg.Client, config.connectionString ?? '');
  const pool = new pg.Pool({ idleTimeoutMillis: 60_000, keepAlive: true, types, ...config, ...host.options });
  const semaphore = createFairSemaphore({
    atOnce: pool.options.max,
    perWorkspace: Math.ceil(pool.options.max / 2),
    patienceMs: pool.options.connectionTimeoutMillis || undefined,
    busy: 'Too many requests wait for the database',
  });
  measurePool(pool, semaphore.waiting);
  // A server that restarts breaks all connections; the first use of one detects it.
  const onBroken = () => {
    server.generation += 1;
  };
  let open = 0;
  pool.on('error', onBroken);
  pool.on('connect', (client) => {
    // The running query gets the error; an 'error' event without a listener ends the process.
    client.on('error', () => {});
    open += 1;
    if (open === 1) onBroken();
  });
  pool.on('remove', () => (open -= 1));
  const generations = new WeakMap<PoolClient, number>();
  // A new connection may lead to a restored server before the others to its predecessor are known to be gone.
  let identity: string | undefined;
  const recognize = async (client: PoolClient): Promise<void> => {
    const { rows } = await client.query<{ server: string }>(serverIdentity);
    if (identity !== undefined && identity !== rows[0]?.server) onBroken();
    identity = rows[0]?.server;
    generations.set(client, server.generation);
  };
  const connect = async (): Promise<PostgresPoolClient> => {
    const release = await semaphore.acquire();
    return acquired(release).catch((error) => {
      release();
      throw error;
    });
  };
  const acquired = async (release: () => void): Promise<PostgresPoolClient> => {
    for (;;) {
      const client = await host.attempt(() => pool.connect());
      try {
        if (!generations.has(client)) await recognize(client);
      } catch (error) {
        client.release(true);
        throw error;
      }
      if (generations.get(client) === server.generation) return guard(client, onBroken, release);
      client.release(true);
    }
  };
  return {
    connect,
    end: () => pool.end(),
    options: pool.options,
    Client: controlClient(host.options.Client ?? pg.Client),
  };
}

/** Makes the connections on which Kysely cancels statements. A broken one must not end the process. */
const controlClient = (Client: new (config?: ClientConfig) => ClientBase) =>
  class extends Client {
    constructor(config?: ClientConfig) {
      super(config);
      this.on('error', () => {});
    }
    // Kysely's type returns the client.
  } as unknown as PostgresClientConstructor;

const measurePool = (pool: Pool, waitingPermits: () => number): void => {
  const connections = {
    name: 'cardinal_database_connections',
    help: 'Connections to the database by state; `max` is the limit',
    labels: ['state'] as const,
  };
  gauge(connections, (one) => {
    one.set({ state: 'used' }, pool.totalCount - pool.idleCount);
    one.set({ state: 'idle' }, pool.idleCount);
    one.set({ state: 'max' }, pool.options.max);
  });
  const waiting = { name: 'cardinal_database_waiting', help: 'Requests that wait for a connection to the database' };
  gauge(waiting, (one) => one.set(pool.waitingCount + waitingPermits()));
};

/** The prefix of a prepared statement's text: Kysely passes on only texts and values. */
const preparedName = /^\/\* (\S+) \*\/ /;

/**
 * Wraps a connection. Calls `onBroken` where it is gone, and drops it once the server stays silent: the pending answer
 * would block its next user.
 */
function guard(client: PoolClient, onBroken: () => void, releasePermit: () => void): PostgresPoolClient {
  let silent = false;
  const query = async (text: string, values: readonly unknown[]) => {
    if (silent) throw new Error('Connection terminated: the server stays silent');
    try {
      const [, name] = preparedName.exec(text) ?? [];
      return await client.query({ text, values: [...values], ...(name === undefined ? {} : { name }) });
    } catch (error) {
      silent = error instanceof Error && error.message === 'Query read timeout';
      // The other connections to such a server would each take as long to fail.
      if (silent || isBroken(error)) onBroken();
      throw error;
    }
  };
  const release = (destroy = false) => {
    client.release(destroy || silent);
    releasePermit();
  };
  // The backend, for cancelling its statement; the types of pg lack it.
  const { processID } = client as PoolClient & { processID?: number };
  // Kysely's type has a second form of `query` for cursors, which are not configured here.
  return { query, release, processID } as unknown as PostgresPoolClient;
}

/** Anything that runs queries: a transaction, or the handle that `read` passes. */
export type Reader = QueryExecutorProvider;

/** A transaction of any service: the infrastructure tables are the same in all of them. */
export type AnyTransaction = Reader & { readonly isTransaction: true };

/** A statement that each connection parses and plans once, then knows by name. */
export interface PreparedStatement<Row> {
  text: string;
  run(db: Reader, values: readonly unknown[]): Promise<Row[]>;
}

/** The pools of the handles outside transactions: a prepared statement needs nothing of the query builder there. */
const pools = new WeakMap<Reader, () => Promise<PostgresPool>>();

/** Has prepared statements of a handle outside transactions run on a connection of `pool`, past the query builder. */
export const runPreparedOn = (db: Reader, pool: () => Promise<PostgresPool>): void => void pools.set(db, pool);

/** Runs a statement on a connection of its own. */
const runAlone = async <Row>(pool: PostgresPool, text: string, values: readonly unknown[]): Promise<Row[]> => {
  const client = await pool.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    client.release();
  }
};

/**
 * Runs a statement once for many requests. They are its $1, a JSON array in which each has its `ordinal`. With an SQL
 * array the planner would count the elements, and plan again for each number of them.
 * @returns the row of each request in its position; undefined where there is none
 */
export const rowsFor = async <Row extends { ordinal: number }>(
  db: Reader,
  statement: PreparedStatement<Row>,
  asked: readonly object[],
): Promise<(Row | undefined)[]> => {
  const rows = await statement.run(db, [JSON.stringify(asked.map((one, index) => ({ ...one, ordinal: index + 1 })))]);
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  return asked.map((_, index) => byOrdinal.get(index + 1));
};

/**
 * Declares a statement for a hot path. Its text must not depend on its values: a list is one parameter.
 * @param title begins the statement's name on the server
 */
export const prepared = <Row>(title: string, text: string): PreparedStatement<Row> => {
  const named = `/* ${title}-${createHash('sha256').update(text).digest('hex').slice(0, 12)} */ ${text}`;
  return {
    text,
    run: async (db, values) => {
      const pool = pools.get(db);
      if (pool) return runAlone<Row>(await pool(), named, values);
      const { rows } = await db.getExecutor().executeQuery<Row>(CompiledQuery.raw(named, [...values]));
      return rows;
    },
  };
};
