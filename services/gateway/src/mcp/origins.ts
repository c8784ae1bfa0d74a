import { BlockList, isIP } from 'node:net';
import { HttpError } from '@cardinal/edge';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';

const refused = (message: string) => new HttpError('invalid_request', message, { status: 403 });

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a host of a URL is this machine's own; IPv6 addresses are in brackets. */
const isLoopback = (hostname: string): boolean => {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const kind = isIP(bare);
  if (kind !== 0) return loopback.check(bare, kind === 6 ? 'ipv6' : 'ipv4');
  return /^(?:.*\.)?localhost\.?$/.test(bare);
};

const nameIn = (host: string | undefined): string => {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
};

/**
 * Refuses pages of origins that are not listed (MCP, "Streamable HTTP", security): such a page may have pointed its name at this
 * machine, so that a browser takes both for one origin (DNS rebinding). Other clients send no origin. Where the gateway
 * listens on loopback, it also refuses a `Host` that is no name of this machine, unless a proxy passes on its own.
 */
export const refuseOrigins = (
  scope: FastifyInstance,
  { CORS_ORIGINS, HOST, TRUST_PROXY }: Pick<Config, 'CORS_ORIGINS' | 'HOST' | 'TRUST_PROXY'>,
): void => {
  const allowed = new Set(CORS_ORIGINS);
  const isLocal = isLoopback(HOST) && TRUST_PROXY.length === 0;
  scope.addHook('onRequest', ({ headers: { origin, host } }, _reply, done) => {
    if (origin !== undefined && !allowed.has(origin)) done(refused('Pages of this origin may not call tools'));
    else if (isLocal && !isLoopback(nameIn(host)))
      done(
        refused(
          'Host is no name of this machine, where the gateway listens alone (DNS rebinding); a proxy or tunnel that leads here is named in TRUST_PROXY=loopback',
        ),
      );
    else done();
  });
};
