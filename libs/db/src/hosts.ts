import { hostUrls } from '@cardinal/runtime';
import type { Client, ClientConfig, PoolConfig } from 'pg';

/** How long one of several hosts may take to let a connection in before the next is tried, ms. */
const answerMs = 3_000;

/** Whether the server of a connection is a standby, which takes no writes. */
export const isStandby = async (client: Pick<Client, 'query'>): Promise<boolean> => {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  return rows[0]?.standby === true;
};

/**
 * Connects a pool to the host that takes writes, of the several that a URL may name, as libpq does with
 * `target_session_attrs=read-write`; `pg` itself knows one host. The one that was found last is tried first.
 * @returns options for the pool, and `attempt`, through which its connections have to be taken
 */
export const writableHost = (PgClient: typeof Client, url: string) => {
  const urls = hostUrls(url);
  let current = 0;
  class OneHost extends PgClient {
    constructor(config?: ClientConfig) {
      super({ ...config, connectionString: urls[current], connectionTimeoutMillis: answerMs });
    }
  }
  const onConnect = async (client: Client) => {
    // 25006, read_only_sql_transaction: what a write would be refused with.
    if (await isStandby(client)) throw Object.assign(new Error(`${client.host} is a standby`), { code: '25006' });
  };
  const attempt = async <T>(connect: () => Promise<T>): Promise<T> => {
    for (let left = urls.length - 1; ; left -= 1) {
      const at = current;
      try {
        return await connect();
      } catch (error) {
        if (left === 0) throw error;
        // Unless another attempt has gone on to the next one.
        if (current === at) current = (at + 1) % urls.length;
      }
    }
  };
  // `onConnect` is not in the types yet.
  const options: PoolConfig & { onConnect?: typeof onConnect } = urls.length > 1 ? { Client: OneHost, onConnect } : {};
  return { options, attempt };
};
