import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whose pages may upload and download: everybody's, or those of these origins. */
export type Origins = '*' | ReadonlySet<string>;

/** What a page may read of an answer beside what every page may. */
const readable = 'accept-ranges, content-disposition, content-length, content-range, etag, retry-after, x-request-id';
/** How long a browser need not ask again, seconds. */
const maxAge = '7200';

/** Lets a page read the answer where its origin may (Fetch standard, "CORS protocol"). */
export const allowOrigin = ({ headers }: IncomingMessage, response: ServerResponse, origins: Origins): void => {
  const { origin } = headers;
  if (origins !== '*') response.setHeader('vary', 'origin');
  if (origins !== '*' && (origin === undefined || !origins.has(origin))) return;
  response.setHeader('access-control-allow-origin', origins === '*' ? '*' : (origin ?? ''));
  response.setHeader('access-control-expose-headers', readable);
};

/** Answers what a browser asks before it lets a page send something. No header can do harm: the URL is the permission. */
export const answerPreflight = ({ headers }: IncomingMessage, response: ServerResponse, methods: string): void => {
  const wanted = headers['access-control-request-headers'];
  response.writeHead(204, {
    allow: methods,
    'access-control-allow-methods': methods,
    ...(wanted === undefined ? {} : { 'access-control-allow-headers': wanted }),
    'access-control-max-age': maxAge,
  });
  response.end();
};
