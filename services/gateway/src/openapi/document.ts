import { writeFile } from 'node:fs/promises';
import { declaredOperations, tags } from '@cardinal/contracts';
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { apiPrefix } from '../request.ts';
import { registerOperation } from '../routes.ts';
import { bodyRules } from '../validation.ts';
import { completeDocument, type Document } from './complete.ts';

const operations = declaredOperations.map(({ http }) => http);

/** Bodies are called as their operations are; resources have names of their own. */
const nameBodies = (): void => {
  for (const { id, body } of operations) {
    if (!body) continue;
    // A body that may be left out is one with a default around it.
    const named = body instanceof z.ZodPrefault ? (body.unwrap() as z.ZodType) : body;
    const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
    z.globalRegistry.add(named, { ...z.globalRegistry.get(named), id: name });
  }
};

const description = `Work tracking with identifiers that never break. Paths are relative to \`${apiPrefix}\`; everything needs a bearer token.

## Pages
A list answers \`{"data": […], "page": {"next_cursor", "has_more"}}\`. \`limit\` is 1 to 100, 50 where it is left out; a page also ends at 1 MiB. Send \`next_cursor\` as \`cursor\` for the next page, with the same filters; a cursor of another list answers 400.

## Preconditions
A versioned resource comes with an \`ETag\`. Writes to it need \`If-Match\` with that \`ETag\`: without it 428, with an old one 412, and \`details.current_version\` tells the present one. Reads take \`If-None-Match\`, and answer 304 while nothing has changed.

## Idempotency
POSTs need an \`Idempotency-Key\` of your own, new for each new request. After a lost answer send the same request with the same key: what was done is not done again, and the first answer comes back with \`Idempotent-Replayed: true\`. The same key with another request answers 422. Keys count for one user and one operation, for a day at least. PUTs, and DELETEs of what is put, set a state: they need no headers and can be repeated freely.

## Limits
A user of a workspace has 2,000 requests in 10 seconds where the operator says nothing else; each begun 64 KiB of an answer counts as one. Above it 429 comes with \`Retry-After\`. Bodies have 1 MiB at most, headers that are read 1 KiB.

## Uploads
Create a file, send its bytes to \`upload.url\` with \`upload.headers\`, once, and read the file until its \`status\` is \`clean\`. Only then can it be a cover, be linked or be downloaded.

## Errors
Every error has the same shape; \`code\` is for programs, \`message\` for people. A path with another method answers 405 with \`Allow\`. What you may not see answers 404, as what does not exist.`;

/** Serves `/openapi.json` (OpenAPI 3.1), made from the schemas that the requests are checked with. */
export const openapi = async (app: FastifyInstance): Promise<void> => {
  nameBodies();
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'Cardinal',
        version: '1.0.0',
        description,
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: apiPrefix }],
      tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
      security: [{ bearer: [] }],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description:
              'Scopes: `kanban:read` for reads, `kanban:write` for writes, `kanban:admin` for deletes of boards and cards; each includes those before it.',
          },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) =>
      completeDocument(jsonSchemaTransformObject(document) as unknown as Document, operations) as never,
  });

  let document: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    reply.type('application/json; charset=utf-8').send(document);
  });
};

/** The document as it is committed in `openapi.json`; needs no bus, because it serves nothing. */
export const documentText = async (): Promise<string> => {
  const app = fastify();
  await openapi(app);
  await app.register(
    async (api) => {
      bodyRules(api);
      const nothing = () => Promise.reject(new Error('the document calls nothing'));
      const bus = { call: nothing, fetch: nothing };
      for (const operation of declaredOperations) registerOperation(api, operation, bus);
    },
    { prefix: apiPrefix },
  );
  await app.ready();
  const text = `${JSON.stringify(app.swagger(), null, 2)}\n`;
  await app.close();
  return text;
};

if (import.meta.main) await writeFile(new URL('../../openapi.json', import.meta.url), await documentText());
