import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import { rateLimited } from './errors.ts';
import { isCountedAlready } from './mcp/own-requests.ts';
import { addressOf } from './observability.ts';
import type { Principal } from './tokens/claims.ts';

/** The most users, and the most addresses, that are counted; beyond it the least recently used are forgotten. */
const maxKeys = 10_000;

/**
 * Adds to the use of a key in its window, in this process. @returns the sum, and how many ms the window still lasts
 */
const windowCounts = (windowMs: number) => {
  const windows = new LRUCache<string, { used: number; endsAt: number }>({ max: maxKeys });
  return (key: string, amount: number) => {
    const now = Date.now();
    let window = windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { used: 0, endsAt: now + windowMs };
      windows.set(key, window);
    }
    window.used = Math.max(0, window.used + amount);
    return { current: window.used, ttl: window.endsAt - now };
  };
};

const bytesOfRequest = 64 * 1024;
/** How many users of a workspace can use up their limits before the workspace's is used up. */
const usersOfWorkspace = 10;
/** The delay of a refusal, ms: without it a client over its limit would retry as fast as it is refused. */
const refusedAfterMs = 100;

/** How many requests an answer counts for. */
export const requestsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / bytesOfRequest));

const inWords = (max: number, windowMs: number) => `at most ${max} requests in ${windowMs / 1000} s`;

const refusalOf = (message: string, max: number, ttl: number) =>
  rateLimited(message, { max, seconds: String(Math.ceil(ttl / 1000)) });

/** What is left of a limit. */
interface Left {
  max: number;
  current: number;
  /** ms until the window ends. */
  ttl: number;
}

const headersOf = ({ max, current, ttl }: Left) => ({
  'ratelimit-limit': max,
  'ratelimit-remaining': Math.max(0, max - current),
  'ratelimit-reset': Math.ceil(ttl / 1000),
});

/**
 * Limits requests per user of a workspace and per workspace, in this process; each begun 64 KiB of an answer counts as
 * one. Every answer says how much is left of the limit that has less left (CONTRACT 1.7).
 */
export const userLimits = (config: Config) => {
  const { RATE_LIMIT_MAX: max, RATE_LIMIT_WINDOW_MS: windowMs } = config;
  const maxOfWorkspace = config.WORKSPACE_LIMIT_MAX ?? max * usersOfWorkspace;
  const countUser = windowCounts(windowMs);
  const countWorkspace = windowCounts(windowMs);
  const messageOf = (most: number, whose: string) =>
    `Too many requests: ${inWords(most, windowMs)} per ${whose}, where each begun 64 KiB of an answer counts as one`;

  const ofUser = ({ key }: Principal, requests: number): Left => ({ max, ...countUser(key, requests) });
  const ofWorkspace = ({ caller }: Principal, requests: number): Left => ({
    max: maxOfWorkspace,
    ...countWorkspace(caller.workspace_id, requests),
  });
  const check = ({ max: most, current, ttl }: Left, whose: string) =>
    current > most ? refusalOf(messageOf(most, whose), most, ttl) : undefined;

  return {
    /**
     * Counts a request; answers a refusal where it is over a limit. A request refused for its user does not count for
     * the workspace.
     */
    refuse: (by: Principal) => check(ofUser(by, 1), 'user of a workspace') ?? check(ofWorkspace(by, 1), 'workspace'),
    /** Counts the bytes of an answer. @returns the headers that say what is left */
    headersAfter(by: Principal, bytes: number) {
      const more = requestsOf(bytes) - 1;
      const [user, workspace] = [ofUser(by, more), ofWorkspace(by, more)];
      return headersOf(user.max - user.current <= workspace.max - workspace.current ? user : workspace);
    },
  };
};

export type UserLimits = ReturnType<typeof userLimits>;

/** Refuses requests over a limit, and reports in every answer how much is left. */
export const rateLimit = (api: FastifyInstance, limits: UserLimits): void => {
  api.addHook('onRequest', (request, _reply, done) => {
    const refusal = isCountedAlready(request) ? undefined : limits.refuse(request.principal);
    if (!refusal) done();
    else setTimeout(done, refusedAfterMs, refusal);
  });
  api.addHook('onSend', ({ principal }, reply, payload, done) => {
    if (principal) {
      const left = limits.headersAfter(principal, Buffer.isBuffer(payload) ? payload.length : 0);
      if (!reply.hasHeader('ratelimit-limit')) reply.headers(left);
    }
    done(null, payload);
  });
};

/**
 * Counts requests without a valid token by address, each begun 64 KiB of a document as one. It neither counts nor refuses
 * requests with a valid token: tokens are verified first.
 */
export const addressLimit = (config: Config) => {
  const { ADDRESS_LIMIT_MAX: max, RATE_LIMIT_WINDOW_MS: windowMs } = config;
  const counts = windowCounts(windowMs);
  const message = `Too many requests without a valid token: ${inWords(max, windowMs)} per address`;
  const count = (request: FastifyRequest, requests: number) => counts(addressOf(request), requests);
  /** Counts a request; throws `rate_limited`, after a delay, where its address is over the limit. */
  const check = async (request: FastifyRequest): Promise<void> => {
    const { current, ttl } = count(request, 1);
    if (current <= max) return;
    await pause(refusedAfterMs);
    throw refusalOf(message, max, ttl);
  };
  return {
    check,
    /** Counts every request of a scope, and the bytes of its answers. */
    limit(scope: FastifyInstance): void {
      scope.addHook('onRequest', check);
      scope.addHook('onSend', (request, _reply, payload, done) => {
        const bytes = Buffer.isBuffer(payload) ? payload.length : 0;
        if (bytes > bytesOfRequest) count(request, requestsOf(bytes) - 1);
        done(null, payload);
      });
    },
  };
};

export type AddressLimit = ReturnType<typeof addressLimit>;
