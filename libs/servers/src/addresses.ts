import { type AddressInfo, createServer, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Listens for a moment. @returns the port; the code of the error where nothing can listen there */
const tryPort = (port: number, host: string) =>
  new Promise<number | string>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo;
      server.close(() => resolve(address.port));
    });
  });

/** The code of the error with which nothing can listen at the port: `EADDRINUSE`, `EADDRNOTAVAIL`; undefined when it can. */
export const whyNotFree = async (port: number, host = '127.0.0.1'): Promise<string | undefined> => {
  const tried = await tryPort(port, host);
  return typeof tried === 'string' ? tried : undefined;
};

/** A loopback port that was free a moment ago, `preferred` if that one is. */
export const freePort = async (preferred = 0): Promise<number> => {
  for (const port of [preferred, 0]) {
    const tried = await tryPort(port, '127.0.0.1');
    if (typeof tried === 'number') return tried;
  }
  throw new Error('no port of this machine is free');
};

const isEverywhere = (host: string) => ['0.0.0.0', '::'].includes(host);

/** An address at which this machine itself reaches what listens at `host`. */
export const hereHost = (host: string): string => (isEverywhere(host) ? '127.0.0.1' : host);

/** An address at which other machines reach it too, where it listens at every one. */
export const publicHost = (host: string): string => {
  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const outside = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  return hereHost(isEverywhere(host) && outside ? outside.address : host);
};

/** `http://host:port`. */
export const urlOf = (host: string, port: number): string => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
