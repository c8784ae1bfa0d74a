import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import helmet from '@fastify/helmet';
import { renderApiReference } from '@scalar/client-side-rendering';
import fastify, { type FastifyInstance } from 'fastify';
import { configuration } from './page-configuration.ts';
import { repairs } from './page-repairs.ts';

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="3" y="9" width="18" height="20" rx="3" fill="#f3b6bd"/><rect x="7" y="6" width="18" height="20" rx="3" fill="#dd6b78"/><rect x="11" y="3" width="18" height="20" rx="3" fill="#b3142b"/></svg>';

/** @param script its address */
const pageWith = (script: string): string =>
  renderApiReference({ pageTitle: 'Cardinal API', config: configuration, cdn: script })
    .replace('<html>', '<html lang="en">')
    .replace(
      '</head>',
      '<link rel="icon" href="/favicon.svg" type="image/svg+xml"><script src="js/repairs.js" defer></script></head>',
    );

/** The page's only inline script, for the policy. */
const inlineScriptHash = (): string => {
  const [, script] = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(pageWith('')) ?? [];
  if (script === undefined) throw new Error('The API reference page has no inline script');
  return `'sha256-${hash('sha256', script, 'base64')}'`;
};

/**
 * The page's script, 4 MB, from its plugin. The first request for the page loads the plugin, which takes 0.1 s of a core and
 * 50 MB.
 */
const loadScript = async () => {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(plugin, { configuration: { url: configuration.url } });
  const { rawPayload } = await server.inject('/reference/js/scalar.js');
  return { plain: rawPayload, version: hash('sha256', rawPayload, 'hex').slice(0, 16) };
};

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };
/** Compresses to a fifth in a tenth of a second of a core, once; the best quality takes seconds. */
const options = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }, gzip: {} };

/**
 * Serves the page and its script. The script is compressed, and its address has its hash, so browsers cache it.
 */
const servePage = (scope: FastifyInstance): void => {
  let loaded: ReturnType<typeof loadScript> | undefined;
  const script = () => (loaded ??= loadScript());
  const coded: { [Coding in keyof typeof compressors]?: Promise<Buffer> } = {};

  scope.get('/docs', (_request, reply) => reply.redirect('/docs/', 301));
  scope.get('/docs/', async (_request, reply) => {
    const { version } = await script();
    return reply.type('text/html; charset=utf-8').send(pageWith(`js/scalar.js?${version}`));
  });
  scope.get('/docs/js/repairs.js', (_request, reply) => {
    reply.type('application/javascript; charset=utf-8').send(repairs);
  });
  scope.get('/docs/js/scalar.js', async ({ url, headers }, reply) => {
    const { plain, version } = await script();
    reply.type('application/javascript; charset=utf-8').header('vary', 'accept-encoding');
    if (url.endsWith(`?${version}`)) reply.header('cache-control', 'public, max-age=31536000, immutable');
    const accepted = String(headers['accept-encoding'] ?? '').split(/[\s,;]+/);
    const coding = (['br', 'gzip'] as const).find((one) => accepted.includes(one));
    if (!coding) return plain;
    coded[coding] ??= compressors[coding](plain, options[coding]);
    reply.header('content-encoding', coding);
    return coded[coding];
  });
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
      // Only a proxy that terminates TLS knows whether the client used TLS.
      strictTransportSecurity: false,
    });
    servePage(scope);
  });
};
