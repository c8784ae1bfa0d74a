import type { HttpOperation } from '@cardinal/contracts';
import { errorResponses, errorsOf, headerRefs, headers, parameterRef, parameters } from './components.ts';

interface Operation {
  parameters?: unknown[];
  requestBody?: { required: boolean };
  responses: Record<string, object>;
}

/** The part of an OpenAPI document that is completed here. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
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
    ...(requestBody && body ? { requestBody: { ...requestBody, required: !body.safeParse(undefined).success } } : {}),
    parameters: [
      ...(operation.parameters ?? []),
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
  const { schemas = {}, ...components } = document.components;
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
