import type { Bus } from '@cardinal/bus';
import { declaredOperations } from '@cardinal/contracts';
import { drainConnections, type Logger } from '@cardinal/runtime';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Config } from './config.ts';
import { apiPrefix } from './http/prefix.ts';
import { requestIdOf } from './http/request-id.ts';
import { accessLog } from './plugins/access-log.ts';
import { admission } from './plugins/admission.ts';
import { auth } from './plugins/auth.ts';
import { bodyLimit, jsonBodies } from './plugins/bodies.ts';
import { bodyRules } from './plugins/body-rules.ts';
import { answerClientError } from './plugins/client-errors.ts';
import { cors } from './plugins/cors.ts';
import { docs } from './plugins/docs.ts';
import { errors } from './plugins/errors.ts';
import { frameworkErrors } from './plugins/framework-errors.ts';
import { health } from './plugins/health.ts';
import { lingering } from './plugins/lingering.ts';
import { metrics } from './plugins/metrics.ts';
import { openapi } from './plugins/openapi.ts';
import { askForBodies, protocol } from './plugins/protocol.ts';
import { rateLimit, strangerLimit } from './plugins/rate-limit.ts';
import { requestContext } from './plugins/request-context.ts';
import { securityHeaders } from './plugins/security-headers.ts';
import { underPressure } from './plugins/under-pressure.ts';
import { unknownRoutes } from './plugins/unknown-routes.ts';
import { registerOperation } from './routes.ts';
import { createAuthenticator } from './tokens/authenticator.ts';

/** Longer than any request line can be: what is wrong with a parameter, its own rule says. */
const maxParamLength = 100_000;
/** The longest that a request may take to arrive, ms. */
const arrivalTimeoutMs = 30_000;

export interface AppParts {
  config: Config;
  bus: Pick<Bus, 'call' | 'fetch' | 'ping'>;
  logger: Logger;
}

/** The gateway's HTTP server, not listening yet. Hooks run in the order in which they stand here. */
export const buildApp = async ({ config, bus, logger }: AppParts): Promise<FastifyInstance> => {
  const guards = { authenticator: createAuthenticator(config, logger), strangers: strangerLimit(config) };
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (parent) => parent,
    genReqId: requestIdOf,
    bodyLimit,
    requestTimeout: arrivalTimeoutMs,
    ...(config.TRUST_PROXY.length > 0 ? { trustProxy: config.TRUST_PROXY } : {}),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength },
    http: { requireHostHeader: false },
    clientErrorHandler: answerClientError,
    frameworkErrors: frameworkErrors(guards),
  }) as unknown as FastifyInstance;

  app.removeAllContentTypeParsers();
  requestContext(app, {
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    traced: config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
  });
  metrics(app);
  accessLog(app, logger);
  errors(app, logger);
  lingering(app);
  protocol(app);
  const unknownRoutesOfApi = unknownRoutes(app);
  await openapi(app);
  await docs(app);
  health(app, { bus, keys: () => guards.authenticator.ready() });
  app.addHook('preClose', () => drainConnections(app.server));

  await app.register(
    async (api) => {
      securityHeaders(api);
      await cors(api, config);
      await underPressure(api, config);
      auth(api, guards);
      rateLimit(api, config);
      unknownRoutesOfApi(api);
      admission(api, config);
      askForBodies(api);
      jsonBodies(api);
      bodyRules(api);
      for (const operation of declaredOperations) registerOperation(api, operation, bus);
    },
    { prefix: apiPrefix },
  );
  return app;
};
