import type { HttpOperation } from '@cardinal/contracts';
import { errorResponses, errorsOf, headerRefs, headers, parameterRef, parameters, unchosen } from './components.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
}

interface Reference {
  $ref: string;
}

interface Parameter {
  in: string;
  required: boolean;
  schema: Schema;
  example?: unknown;
  examples?: object;
}

interface Operation {
  parameters?: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, object> };
  responses: Record<string, object>;
}

/** The part of an OpenAPI document that is completed here. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>> & { schemas?: Record<string, Schema> };
}

const statusTexts = {
  200: 'Success.',
  201: 'Created.',
  204: 'Done; no content.',
  302: 'The bytes are at `Location`, which needs no token.',
};

const successOf = ({ reply, requires }: HttpOperation, generated: object | undefined) => {
  const replayed = requires.includes('Idempotency-Key') ? (['Idempotent-Replayed'] as const) : [];
  const names = ['X-Request-Id', ...reply.headers, ...replayed] as const;
  return { ...generated, description: statusTexts[reply.status], headers: headerRefs(names) };
};

/** A value that a schema allows: the examples of its fields, put together. */
const exampleOf = (schema: Schema, schemas: Record<string, Schema>): unknown => {
  const { $ref, type, anyOf, properties, items, examples } = schema;
  if (examples) return examples[0];
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if ($ref) return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  if (anyOf?.[0]) return exampleOf(anyOf[0], schemas);
  if (properties) {
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field, schemas)]));
  }
  if (items) return [exampleOf(items, schemas)];
  return { integer: schema.minimum ?? 1, number: 1, boolean: true }[String(type)] ?? 'text';
};

/** A query parameter that its page does not send unless somebody chose it. */
const chosen = (parameter: Parameter | Reference): Parameter | Reference => {
  if ('$ref' in parameter) return parameter;
  // What a schema has for an example, @fastify/swagger has moved to the parameter.
  const { example, ...rest } = parameter;
  const value = example ?? rest.schema.default ?? rest.schema.enum?.[0];
  if (rest.in !== 'query' || rest.required || value === undefined) return parameter;
  return { ...rest, examples: unchosen(value) };
};

/** Generators take a field with a default for one that is always there, so what clients send says it in words. */
const withDefaultsInWords = (schema: Schema): Schema => {
  const fields = Object.entries(schema.properties ?? {}).map(([name, { default: value, ...field }]) => {
    const description = [field.description, value === undefined ? '' : `Default: \`${JSON.stringify(value)}\`.`];
    return [name, { ...field, description: description.filter(Boolean).join(' ') }];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
};

/** Schemas with an example each: that of the operation for what clients send, one put together for what they get. */
const withExamples = (
  schemas: Record<string, Schema>,
  operations: readonly HttpOperation[],
): Record<string, Schema> => {
  const sent = new Map(
    operations.map(({ id, example }) => [`${id.charAt(0).toUpperCase()}${id.slice(1)}Input`, example]),
  );
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const example = sent.get(name);
      if (example !== undefined) return [name, { ...withDefaultsInWords(schema), examples: [example] }];
      return [name, { ...schema, examples: [exampleOf(schema, schemas)] }];
    }),
  );
};

const completed = (declared: HttpOperation, operation: Operation): Operation => {
  const { reply, requires, body } = declared;
  const { requestBody } = operation;
  const success = successOf(declared, reply.body && operation.responses[reply.status]);
  const notModified = {
    description: 'The client has the current version.',
    headers: headerRefs(['X-Request-Id', 'ETag']),
  };
  const nothing = { description: 'There is nothing to show.', headers: headerRefs(['X-Request-Id']) };
  return {
    ...operation,
    ...(requestBody && body
      ? {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { 'application/json': { ...requestBody.content['application/json'], example: declared.example } },
          },
        }
      : {}),
    parameters: [
      ...(operation.parameters ?? []).map(chosen),
      ...(requires.includes('If-Match') ? [parameterRef('IfMatch')] : []),
      ...(requires.includes('Idempotency-Key') ? [parameterRef('IdempotencyKey')] : []),
      ...(reply.isConditional ? [parameterRef('IfNoneMatch')] : []),
      parameterRef('RequestId'),
    ],
    responses: {
      [reply.status]: success,
      ...(reply.kind === 'optional' ? { 204: nothing } : {}),
      ...(reply.isConditional ? { 304: notModified } : {}),
      ...errorsOf(declared),
    },
  };
};

/** Schemas that something refers to, directly or through others. */
const referred = (schemas: Record<string, unknown>, from: unknown, found = new Set<string>()): Set<string> => {
  for (const [, name = ''] of JSON.stringify(from).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    referred(schemas, schemas[name], found);
  }
  return found;
};

/** The format says it; the expressions that check it are no reading matter. */
const withoutPatternsOfFormats = <T>(document: T): T =>
  JSON.parse(JSON.stringify(document), (_key, value) => {
    if (value?.format === undefined || value.pattern === undefined) return value;
    const { pattern: _, ...rest } = value;
    return rest;
  });

/**
 * Adds to the generated document what the schemas do not say: the headers of each operation and every way in which it
 * can be refused. Leaves out schemas that nothing refers to.
 */
export const completeDocument = (document: Document, operations: readonly HttpOperation[]): Document => {
  const paths = { ...document.paths };
  for (const declared of operations) {
    const path = declared.path.replace(/:(\w+)/g, '{$1}');
    const method = declared.method.toLowerCase();
    const operation = paths[path]?.[method];
    if (!operation) throw new Error(`The document lacks ${declared.method} ${path}`);
    paths[path] = { ...paths[path], [method]: completed(declared, operation) };
  }
  const { schemas: bare = {}, ...components } = document.components;
  const schemas = withExamples(bare, operations);
  const used = referred(schemas, [paths, errorResponses]);
  return withoutPatternsOfFormats({
    ...document,
    paths,
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
      headers,
      parameters,
      responses: errorResponses,
    },
  });
};
