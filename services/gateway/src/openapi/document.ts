import { writeFile } from 'node:fs/promises';
import { apiPrefix, declaredOperations, type HttpOperation, release, tags } from '@cardinal/contracts';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { originOf } from '../origin.ts';
import {
  errorResponses,
  errorsOf,
  headerRefs,
  headers,
  parameterRef,
  parameters,
  rateLimitHeaders,
  unchosen,
} from './components.ts';
import { eventTypeWebhooks } from './event-types.ts';
import { introduction } from './introduction.ts';
import { usualOrigin } from './quick-start.ts';
import { snippetsOf } from './snippets.ts';
import { sentToWebhooks } from './webhooks.ts';

type Schema = z.core.JSONSchema.JSONSchema;
type Schemas = Record<string, Schema>;

/** Removes ids, which the document gives itself, and the expressions of formats, which distract readers. */
const override = ({ jsonSchema }: { jsonSchema: Schema }) => {
  delete jsonSchema.id;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
};

/** A schema in JSON; named schemas appear as references, as if the document's schemas were its own. */
const schemaOf = (schema: z.core.$ZodType, io: 'input' | 'output'): Schema => {
  const { $schema, $defs, ...json } = z.toJSONSchema(schema, { io, override });
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'));
};

/** A valid value of a schema, made of the examples of its fields. */
const exampleOf = (schema: Schema, schemas: Schemas): unknown => {
  const { $ref, type, anyOf, oneOf, properties, items, examples } = schema;
  if (examples) return examples[0];
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if ($ref) return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  const either = anyOf?.[0] ?? oneOf?.[0];
  if (either) return exampleOf(either, schemas);
  if (properties) {
    const fields = Object.entries(properties as Schemas);
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, schemas)]));
  }
  if (items) return [exampleOf(items as Schema, schemas)];
  return { integer: schema.minimum ?? 1, number: 1, boolean: true }[String(type)] ?? 'text';
};

/** The named schemas of responses, each with an example. */
const shownSchemas = (): Schemas => {
  const uri = (name: string) => `#/components/schemas/${name}`;
  const { schemas } = z.toJSONSchema(z.globalRegistry, { uri, override });
  const bare = Object.fromEntries(Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]));
  const named = Object.entries(bare).map(([name, schema]) => [
    name,
    { ...schema, examples: [exampleOf(schema, bare)] },
  ]);
  return Object.fromEntries(named);
};

const bodyName = (id: string) => `${id.charAt(0).toUpperCase()}${id.slice(1)}Input`;

/**
 * Generators treat a field with a default as always present. In requests the description names the default instead.
 */
const withDefaultsDescribed = (schema: Schema): Schema => {
  const fields = Object.entries(schema.properties as Schemas).map(([name, { default: value, ...field }]) => {
    const description = [field.description, value === undefined ? '' : `Default: \`${JSON.stringify(value)}\`.`];
    return [name, { ...field, description: description.filter(Boolean).join(' ') }];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
};

/** The body of each operation under the operation's name, with its example. */
const sentSchemas = (operations: readonly HttpOperation[]): Schemas => {
  const named = operations.flatMap(({ id, summary, body, example }) => {
    if (!body) return [];
    // An optional body is a schema with a default around it.
    const schema = schemaOf(body instanceof z.ZodPrefault ? body.unwrap() : body, 'input');
    const about = `What is sent to ${summary.charAt(0).toLowerCase()}${summary.slice(1)}.`;
    return [[bodyName(id), { description: about, ...withDefaultsDescribed(schema), examples: [example] }]];
  });
  return Object.fromEntries(named);
};

/** A repeatable parameter is a list to generators, which they write as repeated parameters. */
const asParameter = (schema: Schema): Schema => {
  const { anyOf, ...rest } = schema;
  const several = anyOf?.find((one) => one.type === 'array');
  return several ? { ...rest, ...several } : schema;
};

const fieldsOf = (schema: z.ZodObject) => Object.entries(schemaOf(schema, 'input').properties as Schemas);

const parametersOf = ({ query, params, requires, reply }: HttpOperation) => [
  ...fieldsOf(query).map(([name, field]) => {
    const { description, examples, ...schema } = asParameter(field);
    const value = examples?.[0] ?? schema.default ?? schema.enum?.[0];
    const example = value === undefined ? {} : { examples: unchosen(value) };
    return { schema, in: 'query', name, required: false, description, ...example };
  }),
  ...fieldsOf(params).map(([name, { description, examples, ...schema }]) => {
    return { schema, example: examples?.[0], in: 'path', name, required: true, description };
  }),
  ...requires.map((header) => parameterRef(header === 'If-Match' ? 'IfMatch' : 'IdempotencyKey')),
  ...(reply.isConditional ? [parameterRef('IfNoneMatch')] : []),
  ...(reply.kind === 'stream' ? [parameterRef('LastEventId')] : []),
  parameterRef('RequestId'),
];

const statusTexts = {
  200: 'Success.',
  201: 'Created.',
  204: 'Done; no content.',
  302: 'The bytes are at `Location`, which needs no token.',
};

const responsesOf = (operation: HttpOperation) => {
  const { status, body, reply, headers: own, kind, isConditional } = operation.reply;
  const replayed = operation.requires.includes('Idempotency-Key') ? (['Idempotent-Replayed'] as const) : [];
  const response = (description: string, names: readonly (keyof typeof headers)[], content?: object) => ({
    description,
    ...(content && { content }),
    headers: headerRefs(['X-Request-Id', ...rateLimitHeaders, ...names]),
  });
  // The schema of each event's data; the media type defines the framing.
  const ofStream = kind === 'stream' ? { 'text/event-stream': { schema: schemaOf(reply, 'output') } } : undefined;
  const content = body ? { 'application/json': { schema: schemaOf(body, 'output') } } : ofStream;
  return {
    [status]: response(statusTexts[status], [...own, ...replayed], content),
    ...(kind === 'optional' && { 204: response('There is nothing to show.', []) }),
    ...(isConditional && { 304: response('The client has the current version.', ['ETag']) }),
    ...errorsOf(operation),
  };
};

/** A value for each parameter of a path. */
const examplesOf = (params: z.ZodObject) => exampleOf(schemaOf(params, 'input'), {}) as Record<string, string>;

const operationOf = (declared: HttpOperation) => {
  const { id, summary, tag, description, params, body, example, scope } = declared;
  const content = { schema: { $ref: `#/components/schemas/${bodyName(id)}` }, example };
  const required = !body?.safeParse(undefined).success;
  return {
    operationId: id,
    summary,
    tags: [tag],
    description: [description, `Needs \`${scope}\`.`].filter(Boolean).join(' '),
    security: [{ bearer: [scope] }],
    ...(body && { requestBody: { required, content: { 'application/json': content } } }),
    parameters: parametersOf(declared),
    responses: responsesOf(declared),
    'x-codeSamples': snippetsOf(declared, examplesOf(params)),
  };
};

/** The OpenAPI 3.1 document, made of the declared operations and of the schemas that their requests are checked with. */
export const openapiDocument = () => {
  const operations = declaredOperations.map(({ http }) => http);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationOf(operation) };
  }
  const shown = shownSchemas();
  const bearer = {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Scopes: `kanban:read` for reads, `kanban:write` for writes, `kanban:admin` where an operation says so; each includes those before it.',
  };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Cardinal',
      version: release,
      description: introduction,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    components: {
      securitySchemes: { bearer },
      schemas: { ...sentSchemas(operations), ...shown },
      headers,
      parameters,
      responses: errorResponses,
    },
    paths,
    webhooks: { ...sentToWebhooks, ...eventTypeWebhooks(shown) },
    servers: [{ url: usualOrigin + apiPrefix }],
    security: [{ bearer: [] }],
    tags: [
      ...Object.entries(tags).map(([name, about]) => ({ name, description: about })),
      { name: 'Event types', description: 'What can happen, each type with an example.' },
    ],
  };
};

/** Origins whose document is kept. */
const maxOrigins = 8;

/** Serves `/openapi.json`, with the origin by which the client reached the gateway in place of the usual one. */
export const openapi = (app: FastifyInstance): void => {
  let text: string | undefined;
  const documents = new LRUCache<string, Buffer>({ max: maxOrigins });
  const documentAt = (origin: string): Buffer => {
    text ??= JSON.stringify(openapiDocument());
    const document = documents.get(origin) ?? Buffer.from(text.replaceAll(usualOrigin, () => origin));
    documents.set(origin, document);
    return document;
  };
  app.get('/openapi.json', (request, reply) => {
    reply.type('application/json; charset=utf-8').send(documentAt(originOf(request) ?? usualOrigin));
  });
};

/** The document as it is committed in `openapi.json`. */
export const documentText = (): string => `${JSON.stringify(openapiDocument(), null, 2)}\n`;

if (import.meta.main) await writeFile(new URL('../../openapi.json', import.meta.url), documentText());
