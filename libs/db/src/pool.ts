import pg from 'pg';

/** How to reach the database. */
export interface PoolOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  name: string;
  poolSize: number;
  /** The server gives up on a statement after this many milliseconds. */
  statementTimeoutMs: number;
}

/** How long a caller waits for a free or new connection. */
const connectTimeoutMs = 3_000;
/** The client gives up on a silent server this long after the server should have given up itself. */
const graceMs = 5_000;

const types: pg.CustomTypesConfig = {
  // Counters and sizes; none comes near 2^53.
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/** A pool whose broken connections never bring the process down. */
export function createPool({ url, name, poolSize, statementTimeoutMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: poolSize,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + graceMs,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types,
  });
  // Whoever uses the connection gets the error from the query; an 'error' event without a listener ends the process.
  const ignore = () => {};
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}
