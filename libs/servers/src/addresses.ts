import { createServer, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The code of the error with which nothing can listen at the port: `EADDRINUSE`, `EADDRNOTAVAIL`; undefined when it can. */
export const whyNotFree = (port: number, host = '127.0.0.1') =>
  new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });

/** A loopback port that was free a moment ago, `preferred` if that one is. */
export const freePort = async (preferred?: number): Promise<number> => {
  if (preferred && (await whyNotFree(preferred)) === undefined) return preferred;
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
};

const isEverywhere = (host: string) => ['0.0.0.0', '::'].includes(host);

const outside = () =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** An address at which this machine itself reaches what listens at `host`. */
export const hereHost = (host: string): string => (isEverywhere(host) ? '127.0.0.1' : host);

/** An address at which other machines reach it too, where it listens at every one. */
export const publicHost = (host: string): string => (isEverywhere(host) ? (outside() ?? '127.0.0.1') : host);

/** `http://host:port`. */
export const urlOf = (host: string, port: number): string => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
