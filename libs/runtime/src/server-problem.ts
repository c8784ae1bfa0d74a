import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from './logger.ts';

/**
 * `wrong` stays so until somebody changes something. `starting` is what a server says that will soon work. `away` may be
 * either: nothing answers.
 */
type ProblemKind = 'wrong' | 'starting' | 'away';

/** A server that cannot be used. The message names the variable that chose it, the cause and the way out. */
export class ServerProblem extends Error {
  readonly kind: ProblemKind;
  constructor(kind: ProblemKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerProblem';
    this.kind = kind;
  }
}

/** The codes of a connection that nothing took, and what they mean for whoever named the server. */
const causes: Record<string, (server: string, host: string) => string> = {
  ENOTFOUND: (_, host) => `the host "${host}" is not known here; correct its name`,
  EAI_AGAIN: (_, host) => `the name service does not know the host "${host}" or is out of reach; correct either`,
  ECONNREFUSED: (server) => `nothing listens at ${server}; start it there, or correct host and port`,
  EHOSTUNREACH: (server) => `no way leads to ${server}; correct the host, or the network`,
  ENETUNREACH: (server) => `no way leads to ${server}; correct the host, or the network`,
};

/** What is wrong where no connection to `server` (`host:port`) could be made at all; undefined for any other error. */
export const connectionProblem = (variable: string, server: string, code: string | undefined) => {
  const host = server.replace(/:\d+$/, '');
  const cause = code === undefined ? undefined : causes[code]?.(server, host);
  return cause === undefined ? undefined : new ServerProblem('away', `${variable}: ${cause}`);
};

/** How long the first attempts at a server that is not up yet lie apart, ms; later ones lie further apart. */
const firstPauseMs = 100;
const longestPauseMs = 2_000;

/**
 * Checks a server until it can be used. What waiting cannot help is thrown at once.
 * @param check throws a ServerProblem while the server cannot be used
 * @param options.kinds what is waited for
 * @param options.patienceMs how long, in milliseconds
 * @param options.tell receives each problem that is waited for, once as long as it stays the same
 * @throws what `check` throws
 */
export const untilUsable = async (
  check: () => Promise<void>,
  options: { kinds: ProblemKind[]; patienceMs: number; tell: (problem: string) => void },
): Promise<void> => {
  const end = performance.now() + options.patienceMs;
  let told = '';
  for (let wait = firstPauseMs; ; wait = Math.min(wait * 2, longestPauseMs)) {
    try {
      return await check();
    } catch (error) {
      const hopeful = error instanceof ServerProblem && options.kinds.includes(error.kind);
      if (!hopeful || performance.now() >= end) throw error;
      if (error.message !== told) options.tell(error.message);
      told = error.message;
      await pause(wait);
    }
  }
};

/** How long a service that starts waits for a server that another is still to start, ms. */
const startPatienceMs = 30_000;

/**
 * Waits until a server can be used that a service needs: the order in which processes start does not matter.
 * @throws ServerProblem at once where waiting cannot help, else after 30 s
 */
export const waitForServer = (logger: Logger, check: () => Promise<void>): Promise<void> =>
  untilUsable(check, {
    kinds: ['starting', 'away'],
    patienceMs: startPatienceMs,
    tell: (problem) => logger.warn(`${problem}; trying again`),
  });
