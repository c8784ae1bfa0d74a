import type { ServerResponse } from 'node:http';
import { withoutKeys } from '@cardinal/contracts';
import {
  type Logger,
  newContext,
  type OpenSpan,
  openSpan,
  type RequestContext,
  requestMeter,
  runInContext,
} from '@cardinal/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Config } from './config.ts';
import { healthRoutes } from './health.ts';
import { maxHeaderLength } from './preconditions.ts';
import type { RepeatedLines } from './repeated-lines.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request that reaches a route or a not-found handler. */
    requestContext: RequestContext;
    /** The request's server span; undefined while telemetry is off. */
    span: OpenSpan | undefined;
  }
}

const whenBegun = Symbol('answered');

/** Ends the measurement of a request whose answer goes on for hours. */
export const answered = (response: ServerResponse): void => void response.emit(whenBegun);

/** Calls `act` once, when a request is answered or abandoned. */
const whenAnswered = (response: ServerResponse, act: () => void): void => {
  const end = () => {
    response.off('close', end).off(whenBegun, end);
    act();
  };
  response.once('close', end).once(whenBegun, end);
};

/**
 * Gives every request its context (request id, trace, deadline) and, while
 * telemetry is on, a server span below the caller's `traceparent`.
 */
export const requestContext = (app: FastifyInstance, config: Config): void => {
  const { REQUEST_TIMEOUT_MS: timeoutMs, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  app.decorateRequest('requestContext');
  app.decorateRequest('span', undefined);

  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers;
    request.requestContext = newContext({
      requestId: request.id,
      timeoutMs,
      // Every service gets it, so an overlong one is dropped.
      ...(typeof traceparent === 'string' && traceparent.length <= maxHeaderLength ? { traceparent } : {}),
    });
    done();
  });
  app.addHook('preHandler', (request, _reply, done) => {
    // The time that a client takes to send its body does not count against the services.
    request.requestContext.deadline = Date.now() + timeoutMs;
    done();
  });
  if (endpoint === undefined) return;

  app.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions, requestContext: context } = request;
    const route = routeOptions.url ?? 'unknown';
    if (healthRoutes.includes(route)) return done();
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = runInContext(context, () => openSpan(`${method} ${route}`, attributes, 'server'));
    if (span) {
      request.span = span;
      request.requestContext = span.context;
      whenAnswered(reply.raw, () => {
        span.end(reply.statusCode >= 500 ? new Error(`HTTP ${reply.statusCode}`) : undefined);
      });
    }
    done();
  });
};

/** Runs `fn` in the request's context and span, so that its log lines and bus calls belong to the request. */
export const inRequest = <T>(request: FastifyRequest, fn: () => T): T => {
  const { span, requestContext } = request;
  if (!span) return runInContext(requestContext, fn);
  return span.within(() => runInContext(requestContext, fn));
};

/** The most characters of a path in a log line: a path can have nearly 16 KiB. */
const loggedPathLength = 512;

/** The client's address; of IPv6 its network of 64 bits, which one subscriber has. */
export const addressOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string => {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
};

/** The user or address for which log lines caused by a request are counted. */
export const causerOf = (request: FastifyRequest): string => request.principal?.key ?? addressOf(request);

/**
 * Logs requests: one line for each that succeeds, at `debug` because of its cost at full speed; `info` for a failure; one line
 * in ten seconds for refusals of one kind and cause. Headers, bodies and the query are not logged.
 */
export const accessLog = (app: FastifyInstance, logger: Logger, repeated: RepeatedLines): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status } = reply;
    const level = status >= 400 ? 'info' : 'debug';
    if (logger.isLevelEnabled(level)) {
      const fields = {
        method: request.method,
        path: withoutKeys(request.originalUrl.split('?', 1)[0] ?? '').slice(0, loggedPathLength),
        status,
        duration_ms: Math.round(reply.elapsedTime),
        workspace_id: request.principal?.caller.workspace_id,
      };
      const message = 'request';
      inRequest(request, () => {
        if (status < 400 || status === 500) logger[level](fields, message);
        else {
          const kind = `${status} ${request.routeOptions.config?.operation?.id ?? 'none'} ${causerOf(request)}`;
          repeated.log(kind, { level: 'info', fields: { ...fields, address: request.ip }, message });
        }
      });
    }
    done();
  });
  app.addHook('onClose', async () => repeated.flush());
};

const meter = requestMeter({ name: 'cardinal_http_request', label: 'operation', help: 'Requests of the API' });

/** nginx's status for a client that closed the connection before its answer. */
const clientClosedRequest = 499;

/** Measures every request by its operation (`none` without one) and the status of its answer. */
export const metrics = (app: FastifyInstance): void => {
  app.addHook('onRequest', ({ routeOptions }, reply, done) => {
    const operation = routeOptions.config?.operation?.id ?? 'none';
    const { raw } = reply;
    const measure = meter.began();
    whenAnswered(raw, () => {
      const isAnswered = raw.writableFinished || (raw.headersSent && !raw.closed);
      measure(operation, isAnswered ? reply.statusCode : clientClosedRequest, reply.elapsedTime);
    });
    done();
  });
};
