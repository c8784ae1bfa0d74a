import type { FastifyRequest } from 'fastify';

/** It stands within quotes in headers and JSON, so it has no character that ends them, as `Host` may. */
const plain = /^https?:\/\/[\w.[\]:-]+$/;

/**
 * The origin by which the client reached the gateway: that of a proxy which `TRUST_PROXY` names, else the gateway's own.
 * @returns undefined where the client names no host that can be one
 */
export const originOf = ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string | undefined => {
  const origin = `${protocol}://${host}`;
  return plain.test(origin) && URL.canParse(origin) ? new URL(origin).origin : undefined;
};
