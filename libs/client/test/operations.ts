import type { SharedStack } from '@cardinal/testkit';

/** An operation of the API, as its OpenAPI document names it. */
export interface Operation {
  id: string;
  /** Whether a request to this address carries it out. */
  isReachedBy(method: string, url: string): boolean;
}

/** Every operation of the API that the stack describes; a path written out goes before one with parameters. */
export const operationsOf = async ({ origin, baseUrl }: SharedStack): Promise<Operation[]> => {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const parametersIn = (path: string) => path.split('{').length;
  return Object.entries(document.paths)
    .sort(([a], [b]) => parametersIn(a) - parametersIn(b))
    .flatMap(([path, methods]) => {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      return Object.entries(methods).map(([name, { operationId }]) => ({
        id: operationId,
        isReachedBy: (method: string, url: string) => {
          const address = url.split('?', 1)[0] ?? '';
          return (
            method.toLowerCase() === name && address.startsWith(baseUrl) && pattern.test(address.slice(baseUrl.length))
          );
        },
      }));
    });
};
