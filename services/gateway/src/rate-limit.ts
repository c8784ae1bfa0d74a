import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import { rateLimited } from './errors.ts';
import { addressOf } from './observability.ts';

/** Users, and addresses, counted at once; beyond it those are forgotten that were used longest ago. */
const mostKeys = 10_000;

/**
 * Adds to what a key has used in its window, in this process; says how much that is and how many ms the window lasts.
 */
const windowCounts = (windowMs: number) => {
  const windows = new LRUCache<string, { used: number; endsAt: number }>({ max: mostKeys });
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
/** How long who is over the limit waits for being told so: else he would ask again at once, as fast as we refuse him. */
const refusedAfterMs = 100;
/** Bytes that a code unit of a string takes at most. */
const bytesOfCodeUnit = 3;

/** As how many requests an answer counts. */
export const requestsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / bytesOfRequest));

const inWords = (max: number, windowMs: number) => `at most ${max} requests in ${windowMs / 1000} s`;

const refusalOf = (message: string, max: number, ttl: number) =>
  rateLimited(message, { max, seconds: String(Math.ceil(ttl / 1000)) });

/**
 * Limits requests per user of a workspace, in this process; each begun 64 KiB of an answer counts as one. The
 * `RateLimit` headers come with 429 only: on other answers they would tell apart what must look the same.
 */
export const rateLimit = (api: FastifyInstance, config: Config): void => {
  const { RATE_LIMIT_MAX: max, RATE_LIMIT_WINDOW_MS: windowMs } = config;
  const count = windowCounts(windowMs);
  const message = `Too many requests: ${inWords(max, windowMs)} per user of a workspace, where each begun 64 KiB of an answer counts as one`;
  api.addHook('onRequest', ({ principal }, _reply, done) => {
    const { current, ttl } = count(principal.key, 1);
    if (current <= max) done();
    else setTimeout(done, refusedAfterMs, refusalOf(message, max, ttl));
  });
  api.addHook('onSend', ({ principal }, _reply, payload, done) => {
    if (typeof payload === 'string' && payload.length > bytesOfRequest / bytesOfCodeUnit && principal) {
      count(principal.key, requestsOf(Buffer.byteLength(payload)) - 1);
    }
    done(null, payload);
  });
};

/**
 * Counts requests without a valid token by address, each begun 64 KiB of a document as one.
 * Nobody with a valid token is counted or refused by it: whom a token stands for is found out before.
 */
export const addressLimit = (config: Config) => {
  const { ADDRESS_LIMIT_MAX: max, RATE_LIMIT_WINDOW_MS: windowMs } = config;
  const counts = windowCounts(windowMs);
  const message = `Too many requests without a valid token: ${inWords(max, windowMs)} per address`;
  const count = (request: FastifyRequest, requests: number) => counts(addressOf(request), requests);
  /** Counts a request; throws `rate_limited`, after a moment, where its address is over the limit. */
  const check = async (request: FastifyRequest): Promise<void> => {
    const { current, ttl } = count(request, 1);
    if (current <= max) return;
    await pause(refusedAfterMs);
    throw refusalOf(message, max, ttl);
  };
  return {
    check,
    /** The same for every request of a scope, and for the bytes that it answers. */
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
