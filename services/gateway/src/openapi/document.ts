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

const description = `Work tracking with identifiers that never break. Paths are relative to \`${apiPrefix}\`.

Creating POSTs need an \`Idempotency-Key\`; writes to a versioned resource need \`If-Match\` with its \`ETag\`; POSTs to one need both. Other PUTs and DELETEs set a state: they need no headers and can be repeated freely. Every error has the same shape. A path with another method answers 405 with \`Allow\`.`;

/** Serves `/openapi.json` (OpenAPI 3.1), made from the schemas that the requests are checked with. */
export const openapi = async (app: FastifyInstance): Promise<void> => {
  nameBodies();
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.1',
      info: { title: 'Cardinal', version: '1.0.0', description },
      servers: [{ url: apiPrefix }],
      tags: tags.map((name) => ({ name })),
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
