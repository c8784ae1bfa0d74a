import { monitorEventLoopDelay } from 'node:perf_hooks';
import { unavailable } from '@cardinal/contracts';
import { retryAfterSeconds } from '@cardinal/edge';
import { createFairQueue, type Refusal, type Share } from '@cardinal/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { bodyLimit } from './bodies.ts';
import type { Config } from './config.ts';
import { rateLimited } from './errors.ts';
import { messageOf } from './mcp/own-requests.ts';
import { requestsOf } from './rate-limit.ts';
import type { ServedOperation } from './routes.ts';

/** The least that an answer counts for before it is known, bytes; earlier answers to the same caller may raise it. */
const leastOfPage = 64 * 1024;
const leastOfAnswer = 8 * 1024;
/** Share of the way to a smaller size that one smaller answer takes. */
const forgetting = 1 / 16;

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes that the request holds, once it is admitted. */
    share: Share | undefined;
    /** Bytes of its body or of its answer, whichever has more, once it is answered. */
    largest: number | undefined;
    /** Bytes of the largest answer to what this process asked itself for it. */
    largestOfOwn: number;
  }
}

/** The sizes of a user's latest answers. */
const estimateOf = ({ principal }: FastifyRequest, { id }: ServedOperation) => `${principal.key}|${id}`;

/** The most bytes that the body may have. */
const announced = ({ headers }: FastifyRequest): number =>
  headers['transfer-encoding'] === undefined ? Math.min(Number(headers['content-length'] ?? 0), bodyLimit) : bodyLimit;

/**
 * How long, ms, large bytes still count when the answer has left: what the rate limit allows is spread over its window.
 */
export const restAfter = (bytes: number, limit: Pick<Config, 'RATE_LIMIT_MAX' | 'RATE_LIMIT_WINDOW_MS'>): number =>
  Math.max(0, requestsOf(bytes) - 1) * (limit.RATE_LIMIT_WINDOW_MS / limit.RATE_LIMIT_MAX);

/** Remembers how large the answers to a user's operation were: larger ones at once, smaller ones little by little. */
const createEstimates = () => {
  const sizes = new LRUCache<string, number>({ max: 10_000 });
  return {
    of: (key: string, { reply }: ServedOperation) =>
      Math.max(sizes.get(key) ?? 0, reply.kind === 'page' ? leastOfPage : leastOfAnswer),
    learn(key: string, bytes: number) {
      const known = sizes.get(key) ?? 0;
      sizes.set(key, Math.max(bytes, known - (known - bytes) * forgetting));
    },
  };
};

/** What to do once an answer has left or its connection is gone. */
const whenOver = ({ raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply, act: () => void): void => {
  if (socket.destroyed) act();
  else response.once('close', act);
};

/** A part of a whole number, at least one. */
const part = (of: number, share: number) => Math.max(1, Math.floor(of * share));

/**
 * How many bytes may be under way, and how many requests may wait. By default a workspace may have one answer of a mebibyte,
 * beside which a quarter of it is left for small requests of colleagues (ADR 10).
 */
export const limitsOf = ({
  BYTES_UNDER_WAY: bytes,
  WAITING: waiting,
}: Pick<Config, 'BYTES_UNDER_WAY' | 'WAITING'>) => ({
  user: { held: part(bytes, 1 / 64), waiting: part(waiting, 1 / 16) },
  workspace: { held: part(bytes, 5 / 256), waiting: part(waiting, 1 / 4) },
  all: { held: bytes, waiting },
});

/**
 * Bounds the bytes under way, of each user, of each workspace and in all: bodies that are read, answers that are asked for,
 * and answers that wait in memory until the socket has taken them. A request that does not fit waits in a queue, at most
 * until its deadline. `answerTimeouts` closes a client that does not take its answer. Requests that this process sends to
 * itself count with the message that they answer.
 * @returns a function that installs it on a scope; all scopes share one queue
 */
export const admission = (config: Config): ((scope: FastifyInstance) => void) => {
  const limits = limitsOf(config);
  const queue = createFairQueue(limits);
  const estimates = createEstimates();
  const tooMany = rateLimited('Too many requests of this user or of the workspace are under way', {
    max: limits.user.waiting,
    seconds: retryAfterSeconds,
  });
  const refused = (refusal: Refusal) => (refusal === 'all' ? unavailable('Too many requests are under way') : tooMany);

  return (api) => {
    api.decorateRequest('share', undefined);
    api.decorateRequest('largest', undefined);
    api.decorateRequest('largestOfOwn', 0);

    api.addHook('preParsing', (request, reply, _payload, done) => {
      const { operation } = request.routeOptions.config;
      if (!operation || messageOf(request)) {
        done();
        return;
      }
      const bytes = () => announced(request) + estimates.of(estimateOf(request, operation), operation);
      const { deadline } = request.requestContext;
      let timer: NodeJS.Timeout | undefined;
      const { workspace_id: workspaceId, user_id: userId } = request.principal.caller;
      const outcome = queue.take({ workspaceId, userId }, bytes, (share) => {
        clearTimeout(timer);
        request.share = share;
        whenOver(request, reply, () => {
          // A request whose client has left stays under way until its owner has answered.
          const { largest } = request;
          const rest = largest === undefined ? config.REQUEST_TIMEOUT_MS : restAfter(largest, config);
          if (rest > 0) setTimeout(share.release, rest).unref();
          else share.release();
        });
        done();
      });
      if (typeof outcome === 'string') {
        done(refused(outcome));
        return;
      }
      if (!outcome) return;
      const giveUp = () => {
        clearTimeout(timer);
        if (!request.share) done(refused(outcome()));
      };
      timer = setTimeout(giveUp, deadline - Date.now());
      whenOver(request, reply, giveUp);
    });

    api.addHook('onSend', (request, _reply, payload, done) => {
      const { operation } = request.routeOptions.config;
      const own = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
      const message = messageOf(request);
      if (message) message.largestOfOwn = Math.max(message.largestOfOwn, own);
      if (request.share && operation) {
        const bytes = Math.max(own, request.largestOfOwn);
        estimates.learn(estimateOf(request, operation), bytes);
        request.largest = Math.max(bytes, announced(request));
        request.share.resize(request.largest);
        if (request.raw.socket.destroyed) {
          setTimeout(request.share.release, restAfter(request.largest, config)).unref();
        }
      }
      done(null, payload);
    });
  };
};

/** Over how long the lag of the event loop is averaged, and between two looks at it, ms: each wakes an idle process. */
const [lagMs, lagLookMs] = [1_000, 50];

/**
 * Refuses requests with 503 while the event loop lags far behind, in the scopes that it is given; the health routes stay
 * outside. `@fastify/under-pressure` looks every 10 ms for each scope, a third of what an idle gateway cost.
 */
export const underPressure = (app: FastifyInstance, config: Config) => {
  const loop = monitorEventLoopDelay({ resolution: lagLookMs });
  loop.enable();
  // NaN where nothing was measured.
  let [before, last] = [0, 0];
  const timer = setInterval(() => {
    [before, last] = [last, loop.mean / 1e6 - lagLookMs];
    loop.reset();
  }, lagMs).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    loop.disable();
  });
  return (scope: FastifyInstance): void => {
    scope.addHook('onRequest', async () => {
      // A stall that has passed, of the machine or by one long task, shows in one look alone.
      const lag = Math.min(before, last);
      if (lag > config.MAX_EVENT_LOOP_DELAY_MS) throw unavailable('The service is overloaded');
    });
  };
};
