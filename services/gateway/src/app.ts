import type { Bus } from '@cardinal/bus';
import { apiPrefix, declaredOperations, getMe } from '@cardinal/contracts';
import { connectionDrain, openEdge, protocol, refuseUnmet } from '@cardinal/edge';
import type { Logger } from '@cardinal/runtime';
import type { FastifyInstance } from 'fastify';
import { admission, underPressure } from './admission.ts';
import { bodyLimit, jsonBodies } from './bodies.ts';
import { cardNames } from './card-names.ts';
import type { Config } from './config.ts';
import { cors } from './cors.ts';
import { errors } from './errors.ts';
import { health } from './health.ts';
import { requireJson } from './mcp/accept.ts';
import { mcp, mcpPath } from './mcp/mcp.ts';
import { nameMetadata, protectedResource } from './mcp/metadata.ts';
import { refuseOrigins } from './mcp/origins.ts';
import { meOf } from './me.ts';
import { accessLog, metrics, requestContext } from './observability.ts';
import { docs } from './openapi/docs.ts';
import { openapi } from './openapi/document.ts';
import { isOfApi } from './paths.ts';
import { addressLimit, rateLimit, userLimits } from './rate-limit.ts';
import { repeatedLines } from './repeated-lines.ts';
import { registerOperation, routedUrl } from './routes.ts';
import { streamAnswers } from './streams/open.ts';
import { auth, createAuthenticator } from './tokens/auth.ts';
import { operatorKeys } from './tokens/operator.ts';
import { reserveWords, unknownRoutes } from './unknown-routes.ts';

/** The longest that a request may take to arrive, ms. */
const arrivalTimeoutMs = 30_000;

/** The gateway's HTTP server, not listening yet. Hooks run in the order in which they stand here. */
export const buildApp = async ({
  config,
  bus,
  logger,
}: {
  config: Config;
  bus: Pick<Bus, 'call' | 'fetch' | 'onSignal' | 'ping'>;
  logger: Logger;
}): Promise<FastifyInstance> => {
  const repeated = repeatedLines(logger);
  const addresses = addressLimit(config);
  const limits = userLimits(config);
  const admit = admission(config);
  const names = cardNames(bus);
  const authenticator = createAuthenticator(config, { bus, logger, addresses });
  const app = openEdge(logger, {
    bodyLimit,
    requestTimeout: arrivalTimeoutMs,
    ...(config.TRUST_PROXY.length > 0 ? { trustProxy: config.TRUST_PROXY } : {}),
    rewriteUrl: routedUrl,
  });

  const refuseUnderPressure = underPressure(app, config);
  requestContext(app, config);
  metrics(app);
  accessLog(app, logger, repeated);
  errors(app, logger, repeated);
  protocol(app, { idleMs: config.ANSWER_IDLE_MS, timeoutMs: config.ANSWER_TIMEOUT_MS });
  refuseUnmet(app, ({ url }) => !isOfApi(url));
  const unknownRoutesOfApi = unknownRoutes(app, addresses);
  health(app, { bus, keys: authenticator.ready });
  // Before connections are drained: these would be open for hours.
  const stream = streamAnswers(app, { config, bus, names, limits, authenticator, repeated });
  app.addHook('preClose', connectionDrain(app.server));
  app.addHook('onClose', authenticator.stop);

  await app.register(async (open) => {
    addresses.limit(open);
    openapi(open);
    await docs(open);
    if (config.MCP) protectedResource(open, config, mcpPath);
  });

  await app.register(
    async (operator) => {
      refuseUnderPressure(operator);
      jsonBodies(operator);
      operatorKeys(operator, { config, bus, logger, addresses });
    },
    { prefix: apiPrefix },
  );

  await app.register(
    async (api) => {
      await cors(api, config);
      refuseUnderPressure(api);
      auth(api, authenticator);
      rateLimit(api, limits);
      refuseUnmet(api);
      unknownRoutesOfApi(api);
      admit(api);
      jsonBodies(api);
      const answering = {
        bus,
        names,
        own: { [getMe.http.id]: meOf(config) },
        stream,
        hasIssuer: config.TOKEN_ISSUER !== undefined,
      };
      for (const operation of declaredOperations) registerOperation(api, operation, answering);
      reserveWords(api, declaredOperations);
    },
    { prefix: apiPrefix },
  );

  if (config.MCP) {
    await app.register(
      async (tools) => {
        await cors(tools, config);
        nameMetadata(tools, config, mcpPath);
        refuseOrigins(tools, config);
        requireJson(tools);
        refuseUnderPressure(tools);
        auth(tools, authenticator);
        rateLimit(tools, limits);
        admit(tools);
        jsonBodies(tools);
        mcp(tools, app);
      },
      { prefix: mcpPath },
    );
  }
  return app;
};
