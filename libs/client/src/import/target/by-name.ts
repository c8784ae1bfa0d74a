import { ImportError } from '../import-error.ts';

/**
 * Picks what the person means: the thing with this id, else the only one with this name.
 * @throws ImportError where several have the name
 */
export const byName = async <Thing extends { id: string; name: string }>(
  kind: string,
  name: string,
  things: AsyncIterable<Thing>,
): Promise<Thing | undefined> => {
  const named: Thing[] = [];
  for await (const thing of things) {
    if (thing.id === name.toLowerCase()) return thing;
    if (thing.name === name) named.push(thing);
  }
  if (named.length > 1) {
    throw new ImportError(
      `several ${kind}s are called "${name}"; name one by its id: ${named.map(({ id }) => id).join(', ')}`,
    );
  }
  return named[0];
};
