import { readFileSync } from 'node:fs';

/** One operation of the API, as its page describes it. */
export interface Route {
  operationId: string;
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  /** Names of the parameters in the path. */
  params: string[];
  /** Status of its success. */
  success: number;
  needsIfMatch: boolean;
  needsKey: boolean;
  takesBody: boolean;
  /** Whether the body may not be left out. */
  needsBody: boolean;
  /** Names of the fields of its body. */
  fields: string[];
}

interface Operation {
  operationId: string;
  parameters?: { $ref?: string }[];
  requestBody?: { required: boolean; content: { 'application/json': { schema: { $ref?: string } } } };
  responses: Record<string, unknown>;
}

const page = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
};

const fieldsOf = ({ requestBody }: Operation): string[] => {
  const name = requestBody?.content['application/json'].schema.$ref?.split('/').at(-1) ?? '';
  return Object.keys(page.components.schemas[name]?.properties ?? {});
};

const routeFrom = (method: string, path: string, operation: Operation): Route => {
  const refersTo = (name: string) => operation.parameters?.some(({ $ref }) => $ref?.endsWith(`/${name}`)) ?? false;
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    success: Number(Object.keys(operation.responses).find((status) => /^[23]/.test(status))),
    needsIfMatch: refersTo('IfMatch'),
    needsKey: refersTo('IdempotencyKey'),
    takesBody: operation.requestBody !== undefined,
    needsBody: operation.requestBody?.required ?? false,
    fields: fieldsOf(operation),
  };
};

/** Every route of `openapi.json`. */
export const routes: readonly Route[] = Object.entries(page.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => routeFrom(method, path, operation)),
);

const patterns = routes
  .map((route) => ({ route, pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`) }))
  // A path written out goes before one with parameters: `/cards/by-identifier/…` is no card's.
  .sort((a, b) => a.route.params.length - b.route.params.length);

/** The route that a request went to; undefined where there is none. */
export const routeOf = (method: string, url: string): Route | undefined => {
  const path = url.split('?', 1)[0] ?? '';
  return patterns.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route;
};
