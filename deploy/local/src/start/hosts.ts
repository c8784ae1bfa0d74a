import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

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
