import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Resolves a host name to its addresses, IPv4 first. @throws Error of `node:dns` if it has none or the look-up fails */
export type ResolveName = (name: string) => Promise<LookupAddress[]>;

/** Timeout of a query to a name server, ms, and number of tries. */
const [timeoutMs, tries] = [2_000, 2];

const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
/** Such names must not be sent to name servers (RFC 6761, 6.3). */
const isLocalhost = (name: string) => /(?:^|\.)localhost\.?$/i.test(name);

const isNoAddress = (error: unknown) => ['ENOTFOUND', 'ENODATA'].includes((error as { code?: string }).code ?? '');

/**
 * Creates a resolver that uses DNS only: no hosts file, no search domains. Look-ups do not block each other. Node's `dns.lookup`
 * shares a few threads, so names whose servers do not answer would block all others.
 * @param servers addresses of name servers; those of the system by default
 */
export const createResolveName = (servers?: readonly string[]): ResolveName => {
  return async (name) => {
    if (isLocalhost(name)) return loopback;
    // A resolver reads the system's name servers once, when it is created: a new one follows their changes.
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer, at) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
    );
    if (addresses.length > 0) return addresses;
    const problems = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    throw problems.find((problem) => !isNoAddress(problem)) ?? problems[0];
  };
};
