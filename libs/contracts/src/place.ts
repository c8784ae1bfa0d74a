import type { HttpOperation } from './operation.ts';

/** The parts of an operation that decide its place. */
export type Placed = Pick<HttpOperation, 'id' | 'method' | 'path'> & { isStream: boolean };

/**
 * Returns an operation's place in the client: `createBoard` is `boards.create`, `putCardLabel` is `cards.addLabel`, and
 * in the program `cards add-label`. The resource is the one that the operation's name begins with, else the first one
 * of its path. API keys are `keys`, and a person is one of `people`.
 * @param all every operation of the API
 */
export const placeOf = (
  { id, method, path, isStream }: Placed,
  all: readonly Pick<Placed, 'method' | 'path'>[],
): { group: string; name: string } => {
  const [, verb = '', noun = ''] = /^([a-z]+)(?:Api)?(.*)$/.exec(id) ?? [];
  const resources = all.flatMap((each) => /^\/(?:api-)?(\w+)\/:\w+$/.exec(each.path)?.[1] ?? []);
  const one = (resource: string) => resource.replace(/s$/, '');
  const named = resources.find((resource) => new RegExp(`^${one(resource)}(s|[A-Z]|$)`, 'i').test(noun));
  const group = named ?? path.split('/')[1] ?? '';
  if (isStream) return { group, name: 'follow' };
  const isGroup = noun.toLowerCase() === group || (group === 'people' && noun === 'Person');
  const whole = named === undefined && isGroup ? '' : noun;
  const rest = named === undefined ? whole : noun.slice(one(named).length).replace(/^s(?![a-z])/, '');
  if (method === 'PATCH') return { group, name: `update${rest}` };
  if (method === 'DELETE' && rest) return { group, name: `remove${rest}` };
  // A resource that is deleted where it was put is one of several; otherwise it is the only one.
  const isOneOfSeveral = all.some((each) => each.path === path && each.method === 'DELETE');
  if (method === 'PUT') return { group, name: `${isOneOfSeveral ? 'add' : 'set'}${rest}` };
  return { group, name: verb + rest };
};
