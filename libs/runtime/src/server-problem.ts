import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { hostUrls } from './database-url.ts';
import type { Logger } from './logger.ts';

/**
 * `wrong` lasts until an operator changes something. `starting` is reported by a server that will soon work. `away` may
 * be either: nothing answers.
 */
type ProblemKind = 'wrong' | 'starting' | 'away';

/** A server that cannot be used. The message names the variable that chose it, the cause and the remedy. */
export class ServerProblem extends Error {
  readonly kind: ProblemKind;
  constructor(kind: ProblemKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerProblem';
    this.kind = kind;
  }
}

const hangsUp = (server: string) => `${server} hangs up; see its log, or correct host and port`;
const noWay = (server: string) => `no way leads to ${server}; correct the host, or the network`;

/** Codes of a refused or broken connection, and what they mean for the operator. */
const causes: Record<string, (server: string, host: string) => string> = {
  ENOTFOUND: (_, host) => `the host "${host}" is not known here; correct its name`,
  EAI_AGAIN: (_, host) => `the name service does not know the host "${host}" or is out of reach; correct either`,
  ECONNREFUSED: (server) => `nothing listens at ${server}; start it there, or correct host and port`,
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  ECONNRESET: hangsUp,
  EPIPE: hangsUp,
};

/** The problem where no connection to `server` (`host:port`) could be made; undefined for any other error. */
export const connectionProblem = (variable: string, server: string, code = '') => {
  const cause = causes[code]?.(server, server.replace(/:\d+$/, ''));
  return cause === undefined ? undefined : new ServerProblem('away', `${variable}: ${cause}`);
};

/**
 * Checks a server until it can be used, after growing pauses. Throws at once where waiting does not help.
 * @param check throws a ServerProblem while the server cannot be used
 * @param options.kinds the problems to wait for
 * @param options.patienceMs how long, in milliseconds
 * @param options.report receives each problem that it waits for, once while it stays the same
 * @throws what `check` throws
 */
export const untilUsable = async (
  check: () => Promise<void>,
  options: { kinds: ProblemKind[]; patienceMs: number; report: (problem: string) => void },
): Promise<void> => {
  const end = performance.now() + options.patienceMs;
  let reported = '';
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await check();
    } catch (error) {
      const hopeful = error instanceof ServerProblem && options.kinds.includes(error.kind);
      if (!hopeful || performance.now() >= end) throw error;
      if (error.message !== reported) options.report(error.message);
      reported = error.message;
      await pause(waitMs);
    }
  }
};

/** How long a starting service waits for a server that starts too, ms. */
const startPatienceMs = 30_000;

/**
 * Waits until a server that a service needs can be used: the order in which processes start does not matter.
 * @throws ServerProblem at once where waiting does not help, else after 30 s
 */
export const waitForServer = (logger: Logger, check: () => Promise<void>): Promise<void> =>
  untilUsable(check, {
    kinds: ['starting', 'away'],
    patienceMs: startPatienceMs,
    report: (problem) => logger.info(`${problem}; trying again`),
  });

const urlProblem = (text: string, form: string, protocols: string[], kept: string): string | undefined => {
  if (!URL.canParse(text)) return `is no URL; it must look like ${form}`;
  const { protocol, hostname } = new URL(text);
  if (!protocols.includes(protocol)) return `begins with ${protocol}, but ${kept}; it must look like ${form}`;
  return hostname ? undefined : `names no host; it must look like ${form}`;
};

/** What is wrong with a Postgres URL of one or several hosts; undefined where it is valid. */
export const databaseUrlProblem = (text: string): string | undefined => {
  const form = 'postgres://user:password@host:5432/database';
  for (const url of hostUrls(text)) {
    const problem = urlProblem(url, form, ['postgres:', 'postgresql:'], 'Cardinal keeps its data in Postgres');
    if (problem) return problem;
    const wanted = new URL(url).searchParams.get('target_session_attrs') ?? 'read-write';
    if (!['read-write', 'primary'].includes(wanted)) {
      return `asks for target_session_attrs=${wanted}, but Cardinal writes; leave that out, or: target_session_attrs=read-write`;
    }
  }
  return undefined;
};

/** What is wrong with a NATS URL of one or several servers; undefined where it is valid. */
export const busUrlProblem = (text: string): string | undefined => {
  const form = 'nats://user:password@host:4222';
  const urls = text.split(',').map((part) => {
    const one = part.trim();
    return one.includes('://') || !/:\d+$/.test(one) ? one : `nats://${one}`;
  });
  for (const url of urls) {
    const problem = urlProblem(url, form, ['nats:', 'tls:'], "Cardinal's bus is NATS");
    if (problem) return problem;
  }
  const [first, ...others] = urls.map((url) => new URL(url));
  // The client has one user for all of them.
  const isElse = ({ username, password }: URL) =>
    username !== '' && (username !== first?.username || password !== first.password);
  if (!others.some(isElse)) return undefined;
  return 'names several users, but all servers of a cluster know the same; write it into the first URL alone';
};

const without = (problem: (text: string) => string | undefined) =>
  z.string().refine((text) => !problem(text), { error: ({ input }) => problem(String(input)) });

/** `DATABASE_URL` of a service. */
export const databaseUrl = without(databaseUrlProblem);
/** `NATS_URL` of a service. */
export const busUrl = without(busUrlProblem);
/** `NATS_CA` of a service. */
export const busCa = z
  .string()
  .optional()
  .describe("File with the authority of the broker's certificates, PEM; demands TLS, as `tls://` does.");
