import pg from 'pg';

// Numbers as numbers: no number of a workstream leaves the safe integers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Row = Record<string, unknown>;

/** Runs one statement; prepared once on each connection, under a name of its own. */
export type Query = <Result extends Row>(text: string, values?: unknown[]) => Promise<Result[]>;

const names = new Map<string, string>();
const nameOf = (text: string): string => {
  const name = names.get(text) ?? `statement ${names.size}`;
  names.set(text, name);
  return name;
};

const queryOn =
  (client: pg.Pool | pg.PoolClient): Query =>
  async <Result extends Row>(text: string, values: unknown[] = []) =>
    (await client.query<Result>({ name: nameOf(text), text, values })).rows;

/** A pool of connections as one process would hold it: single statements, and transactions. */
export const openPool = (url: string, size: number) => {
  const pool = new pg.Pool({ connectionString: url, max: size });
  return {
    query: queryOn(pool),
    /** Commits what `work` did, or rolls it back where it throws. */
    async transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const result = await work(queryOn(client));
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
};

export type Pool = ReturnType<typeof openPool>;
