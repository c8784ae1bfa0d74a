import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
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
  // Snippets that the page makes of an example would repeat its idempotency key: the document has others.
  hiddenClients: true,
  /**
   * Runs in the page before each request that it sends: the example of a key becomes a new one. A key that the reader
   * typed stays. `randomUUID` is only there for origins with TLS.
   */
  onBeforeRequest: ({ requestBuilder: { headers } }: { requestBuilder: { headers: Headers } }) => {
    if (headers.get('idempotency-key') !== 'new-for-each-request') return;
    headers.set('idempotency-key', [...crypto.getRandomValues(new Uint32Array(4))].join('-'));
  },
  // On a phone neither the page nor the request dialog is wider than the screen, and its address not below its menu.
  customCss: `
      html { overflow-x: clip; }
      .markdown.markdown td, .markdown.markdown td:first-child code { word-break: normal; }
      .markdown.markdown td:first-child code { white-space: nowrap; }
      .scalar-app-layout main > div { min-width: 0; }
      @media (max-width: 600px) {
        .markdown.markdown td, .markdown.markdown th { padding: 6px; }
        body .scalar-app-layout .t-app__top-container { padding-left: 40px; }
      }`,
} as const;

/** The page's only inline script, as the plugin writes it, for the policy. */
const inlineScriptHash = (): string => {
  const { pageTitle: _, ...config } = configuration;
  const page = renderApiReference({ config: { _integration: 'fastify', ...config }, cdn: 'js/scalar.js' });
  const script = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(page)?.[1];
  if (script === undefined) throw new Error('The API reference page has no inline script');
  return `'sha256-${hash('sha256', script, 'base64')}'`;
};

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="3" y="9" width="18" height="20" rx="3" fill="#f3b6bd"/><rect x="7" y="6" width="18" height="20" rx="3" fill="#dd6b78"/><rect x="11" y="3" width="18" height="20" rx="3" fill="#b3142b"/></svg>';

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };
/** A tenth of a second of a core, once, for a fifth of the bytes; the best quality takes seconds. */
const options = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, gzip: {} };

const scriptPath = '/docs/js/scalar.js';

/** The plugin's script goes out compressed, under an address that names its content: a browser need not ask again. */
const lightenScript = (scope: FastifyInstance): void => {
  const known: { [Coding in keyof typeof compressors]?: Promise<Buffer> } = {};
  let plain: Buffer | undefined;
  let version: string | undefined;
  scope.addHook('onSend', async ({ url, headers, server }, reply, payload) => {
    if (typeof payload !== 'string' || reply.statusCode !== 200) return payload;
    const [path, query] = url.split('?');
    if (path === '/docs/') {
      version ??= hash('sha256', (await server.inject(scriptPath)).rawPayload, 'hex').slice(0, 16);
      reply.removeHeader('content-length');
      return payload
        .replace('js/scalar.js', `js/scalar.js?${version}`)
        .replace('</head>', '<link rel="icon" href="/favicon.svg" type="image/svg+xml"></head>');
    }
    if (path !== scriptPath) return payload;
    reply.header('vary', 'accept-encoding');
    if (query !== undefined && query === version) reply.header('cache-control', 'public, max-age=31536000, immutable');
    const accepted = String(headers['accept-encoding'] ?? '').split(/[\s,;]+/);
    const coding = (['br', 'gzip'] as const).find((one) => accepted.includes(one));
    if (!coding) {
      plain ??= Buffer.from(payload);
      return plain;
    }
    known[coding] ??= compressors[coding](payload, options[coding]);
    const bytes = await known[coding];
    reply.header('content-encoding', coding).header('content-length', bytes.length);
    return bytes;
  });
};

/** The page builds a URL of the Host header and would fail on one that is none. */
const refuseBadHost: onRequestHookHandler = (request, _reply, done) => {
  if (URL.canParse(request.url, `${request.protocol}://${request.hostname}`)) done();
  else done(new CardinalError('invalid_request', 'The Host header is malformed'));
};

/** Serves the API reference page at `/docs`, where `/` leads; it works without any other server. */
export const docs = async (app: FastifyInstance): Promise<void> => {
  app.get('/', (_request, reply) => reply.redirect('/docs/'));
  app.get('/favicon.svg', (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(icon),
  );
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
      // Only the proxy that terminates TLS knows whether there is any.
      strictTransportSecurity: false,
    });
    lightenScript(scope);
    await scope.register(scalar, { routePrefix: '/docs', configuration, hooks: { onRequest: refuseBadHost } });
  });
};
