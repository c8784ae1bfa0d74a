import type { ConnectionOptions } from 'nats';

/** Address of a broker. */
export interface Broker {
  /** `nats://[user:pass@]host:port`, several servers of one cluster separated by commas; `tls://` requires TLS. */
  url: string;
  /** PEM file of trusted certificate authorities, instead of Node's. It requires TLS too. */
  ca?: string | undefined;
}

/** Parses the servers of a `NATS_URL`. */
const serversOf = (url: string): URL[] =>
  url.split(',').map((one) => new URL(one.includes('://') ? one.trim() : `nats://${one.trim()}`));

/**
 * Makes the options for nats.js: servers, credentials and TLS. nats.js ignores credentials in a URL and has one user
 * for all servers.
 */
export const connectionOptions = ({ url, ca }: Broker): ConnectionOptions => {
  const urls = serversOf(url);
  const { username = '', password = '' } = urls[0] ?? {};
  const demandsTls = ca !== undefined || urls.some(({ protocol }) => protocol === 'tls:');
  return {
    servers: urls.map((one) => one.host),
    ...(username && password ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}),
    ...(username && !password ? { token: decodeURIComponent(username) } : {}),
    ...(demandsTls ? { tls: ca === undefined ? {} : { caFile: ca } } : {}),
  };
};
