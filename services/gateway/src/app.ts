import type { Bus } from '@cardinal/bus';
import { apiPrefix, declaredOperations } from '@cardinal/contracts';
import { connectionDrain, type Logger } from '@cardinal/runtime';
import fastify, { type FastifyInstance } from 'fastify';
import { admission, underPressure } from './admission.ts';
import { bodyLimit, jsonBodies } from './bodies.ts';
import type { Config } from './config.ts';
import { answerTimeouts, oneAtATime } from './connections.ts';
import { cors } from './cors.ts';
import { errors } from './errors.ts';
import { health } from './health.ts';
import { accessLog, metrics, requestContext, requestLogging } from './observability.ts';
import { docs } from './openapi/docs.ts';
import { openapi } from './openapi/document.ts';
import { answerClientError, askForBodies, lingering, protocol } from './protocol.ts';
import { addressLimit, rateLimit, userLimits } from './rate-limit.ts';
import { repeatedLines } from './repeated-lines.ts';
import { registerOperation, routedUrl, unknownRoutes } from './routes.ts';
import { auth, createAuthenticator } from './tokens/auth.ts';

/** Longer than any request line can be: what is wrong with a parameter, its own rule says. */
const maxParamLength = 100_000;
/** The longest that a request may take to arrive, ms. */
const arrivalTimeoutMs = 30_000;

/** The gateway's HTTP server, not listening yet. Hooks run in the order in which they stand here. */
export const buildApp = async ({
  config,
  bus,
  logger,
}: {
  config: Config;
  bus: Pick<Bus, 'call' | 'fetch' | 'ping'>;
  logger: Logger;
}): Promise<FastifyInstance> => {
  const repeated = repeatedLines(logger);
  const addresses = addressLimit(config);
  const limits = userLimits(config);
  const authenticator = createAuthenticator(config, logger, addresses);
  const app = fastify({
    ...requestLogging(logger),
    bodyLimit,
    requestTimeout: arrivalTimeoutMs,
    ...(config.TRUST_PROXY.length > 0 ? { trustProxy: config.TRUST_PROXY } : {}),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength },
    http: { requireHostHeader: false },
    clientErrorHandler: answerClientError,
    rewriteUrl: routedUrl,
  }) as unknown as FastifyInstance;

  app.removeAllContentTypeParsers();
  oneAtATime(app.server);
  requestContext(app, config);
  metrics(app);
  accessLog(app, logger, repeated);
  errors(app, logger, repeated);
  answerTimeouts(app, config);
  lingering(app);
  const protocolOfApi = protocol(app);
  const unknownRoutesOfApi = unknownRoutes(app, addresses);
  health(app, { bus, keys: authenticator.ready });
  app.addHook('preClose', connectionDrain(app.server));

  await app.register(async (open) => {
    addresses.limit(open);
    openapi(open);
    await docs(open);
  });

  await app.register(
    async (api) => {
      await cors(api, config);
      await underPressure(api, config);
      auth(api, authenticator);
      rateLimit(api, limits);
      protocolOfApi(api);
      unknownRoutesOfApi(api);
      admission(api, config);
      askForBodies(api);
      jsonBodies(api);
      for (const operation of declaredOperations) registerOperation(api, operation, bus);
    },
    { prefix: apiPrefix },
  );
  return app;
};
