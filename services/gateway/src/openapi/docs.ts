import { hash } from 'node:crypto';
import { CardinalError } from '@cardinal/contracts';
import helmet from '@fastify/helmet';
import { renderApiReference } from '@scalar/client-side-rendering';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';

/** Everything comes from this server: no fonts, proxies, telemetry or assistants from elsewhere. */
const configuration = {
  url: '/openapi.json',
  pageTitle: 'Cardinal API',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
} as const;

/** The page's only inline script, as the plugin writes it, for the policy. */
const inlineScriptHash = (): string => {
  const { pageTitle: _, ...config } = configuration;
  const page = renderApiReference({ config: { _integration: 'fastify', ...config }, cdn: 'js/scalar.js' });
  const script = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(page)?.[1];
  if (script === undefined) throw new Error('The API reference page has no inline script');
  return `'sha256-${hash('sha256', script, 'base64')}'`;
};

/** The page builds a URL of the Host header and would fail on one that is none. */
const refuseBadHost: onRequestHookHandler = (request, _reply, done) => {
  if (URL.canParse(request.url, `${request.protocol}://${request.hostname}`)) done();
  else done(new CardinalError('invalid_request', 'The Host header is malformed'));
};

/** Serves the API reference page at `/docs`, which works without any other server. */
export const docs = async (app: FastifyInstance): Promise<void> => {
  await app.register(async (scope) => {
    await scope.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'", inlineScriptHash()],
          // The page puts its style sheet into the document at run time.
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:'],
          fontSrc: ["'self'", 'data:'],
          connectSrc: ["'self'"],
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      // Whether there is TLS is known to whoever ends it, not here.
      strictTransportSecurity: false,
    });
    await scope.register(scalar, { routePrefix: '/docs', configuration, hooks: { onRequest: refuseBadHost } });
  });
};
