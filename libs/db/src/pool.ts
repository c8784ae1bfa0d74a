import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { CustomTypesConfig, PoolClient, PoolConfig } from 'pg';
import { isBroken } from './unavailable.ts';

/** How to reach the database. */
export interface PoolOptions {
  url: string;
  /** Shown in the server's activity view. */
  name: string;
  poolSize: number;
  /** Milliseconds until the client takes a silent connection for dead. */
  silenceMs?: number;
  /** Whatever else `pg` should know. */
  settings?: PoolConfig;
}

/**
 * How long a caller waits for a free or a new connection. Longer than the deadlines of requests, which are what ends
 * theirs: on a busy machine a queue that moves is no database out of reach.
 */
const connectTimeoutMs = 10_000;

/** A pool for Kysely whose broken connections never bring the process down and are never given out twice. */
export async function createPool({ url, name, poolSize, silenceMs, settings }: PoolOptions): Promise<PostgresPool> {
  // Loaded at the first query, so that telemetry started before is able to instrument it.
  const { default: pg } = await import('pg');
  const types: CustomTypesConfig = {
    // Counters and sizes: none comes near 2^53.
    getTypeParser: (oid, format) =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: poolSize,
    query_timeout: silenceMs,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types,
    ...settings,
  });
  // Whoever uses the connection gets the error from the query; an 'error' event without a listener ends the process.
  const ignore = () => {};
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  // A server that restarts breaks all connections, of which the first user of one is the first to know.
  let generation = 0;
  const generations = new WeakMap<PoolClient, number>();
  const connect = async (): Promise<PostgresPoolClient> => {
    for (;;) {
      const client = await pool.connect();
      if (!generations.has(client)) generations.set(client, generation);
      if (generations.get(client) === generation) return guard(client, () => (generation += 1));
      client.release(true);
    }
  };
  return { connect, end: () => pool.end(), options: pool.options };
}

/**
 * Calls `onBroken` when the connection turns out to be gone, and gives it up once the server stays silent, since the
 * answer still to come would block its next user.
 */
function guard(client: PoolClient, onBroken: () => void): PostgresPoolClient {
  let silent = false;
  const query = async (text: string, values: readonly unknown[]) => {
    if (silent) throw new Error('Connection terminated: the server stays silent');
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      silent = error instanceof Error && error.message === 'Query read timeout';
      if (isBroken(error)) onBroken();
      throw error;
    }
  };
  const release = (destroy = false) => client.release(destroy || silent);
  // Kysely's type has a second form of `query` for cursors, which are not configured here.
  return { query, release } as unknown as PostgresPoolClient;
}
