import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Answers the addresses of a name, those of IPv4 first. @throws Error of `node:dns` where there are none */
export type ResolveName = (name: string) => Promise<LookupAddress[]>;

/** How long a name server may take, ms, and how often it is asked. */
const [timeoutMs, tries] = [2_000, 2];

const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
/** These never reach a name server (RFC 6761, 6.3). */
const isLocalhost = (name: string) => /(?:^|\.)localhost\.?$/i.test(name);

const noAddress = (error: unknown) => ['ENOTFOUND', 'ENODATA'].includes((error as { code?: string }).code ?? '');

/**
 * Makes what looks names up in DNS alone, without the file of hosts and without search domains. Any number at once: the
 * system's own look-up has two places in a process, which two names whose servers do not answer take from everybody.
 * @param servers name servers; those of the system where left out
 */
export const createResolveName = (servers?: readonly string[]): ResolveName => {
  return async (name) => {
    if (isLocalhost(name)) return loopback;
    // One of its own for each, since it knows the name servers of when it was made.
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer, at) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
    );
    if (addresses.length > 0) return addresses;
    const problems = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    throw problems.find((problem) => !noAddress(problem)) ?? problems[0];
  };
};
