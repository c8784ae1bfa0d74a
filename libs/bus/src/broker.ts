import type { ConnectionOptions } from 'nats';

/** Which broker is meant. */
export interface Broker {
  /** `nats://[user:pass@]host:port`, several servers of one cluster separated by commas; `tls://` demands TLS. */
  url: string;
  /** File of the authorities whose certificates are taken, PEM; those that Node trusts where left out. Demands TLS too. */
  ca?: string | undefined;
}

/** The servers of a `NATS_URL`. */
const serversOf = (url: string): URL[] =>
  url.split(',').map((one) => new URL(one.includes('://') ? one.trim() : `nats://${one.trim()}`));

/**
 * Servers, credentials and TLS of a broker in the form for nats.js, which ignores the credentials of a URL and has one
 * user for all servers.
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
