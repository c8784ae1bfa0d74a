import { hostUrls } from '@cardinal/runtime';
import type { Client, ClientConfig, PoolConfig } from 'pg';

/** Time for one of several hosts to accept a connection before the next is tried, ms. */
const answerMs = 3_000;

/** Whether the server of a connection is a standby, which is read-only. */
export const isStandby = async (client: Pick<Client, 'query'>): Promise<boolean> => {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  return rows[0]?.standby === true;
};

/**
 * Connects a pool to the writable one of several hosts in a URL, as libpq does with `target_session_attrs=read-write`;
 * `pg` itself knows one host. The host that was found last is tried first.
 * @returns options for the pool, and `attempt`, through which connections must be taken
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
    // 25006, read_only_sql_transaction: the error of a write.
    if (await isStandby(client)) throw Object.assign(new Error(`${client.host} is a standby`), { code: '25006' });
  };
  const attempt = async <T>(connect: () => Promise<T>): Promise<T> => {
    for (let left = urls.length - 1; ; left -= 1) {
      const at = current;
      try {
        return await connect();
      } catch (error) {
        if (left === 0) throw error;
        // Unless another attempt has moved to the next host.
        if (current === at) current = (at + 1) % urls.length;
      }
    }
  };
  // `onConnect` is not in the types yet.
  const options: PoolConfig & { onConnect?: typeof onConnect } = urls.length > 1 ? { Client: OneHost, onConnect } : {};
  return { options, attempt };
};
