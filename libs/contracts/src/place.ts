import type { HttpOperation } from './operation.ts';

/** What of an operation decides where it stands. */
export type Placed = Pick<HttpOperation, 'id' | 'method' | 'path'> & { isStream: boolean };

/**
 * Where an operation is found in the client, and in the program as `cards add-label`: `createBoard` is `boards.create`,
 * `putCardLabel` is `cards.addLabel`. The resource is the one that the operation's name begins with, or else the first of
 * its path.
 * @param all every operation of the API
 */
export const placeOf = (
  { id, method, path, isStream }: Placed,
  all: readonly Pick<Placed, 'method' | 'path'>[],
): { group: string; name: string } => {
  const [, verb = '', noun = ''] = /^([a-z]+)(.*)$/.exec(id) ?? [];
  const resources = all.flatMap((each) => /^\/(\w+)\/:\w+$/.exec(each.path)?.[1] ?? []);
  const named = resources.find((resource) => new RegExp(`^${resource.slice(0, -1)}(s|[A-Z]|$)`, 'i').test(noun));
  const group = named ?? path.split('/')[1] ?? '';
  if (isStream) return { group, name: 'follow' };
  const whole = named === undefined && noun.toLowerCase() === group ? '' : noun;
  const rest = named === undefined ? whole : noun.slice(named.length - 1).replace(/^s(?![a-z])/, '');
  if (method === 'PATCH') return { group, name: `update${rest}` };
  if (method === 'DELETE' && rest) return { group, name: `remove${rest}` };
  // What is deleted where it was put is one of several; else there is only one.
  const isOneOfSeveral = all.some((each) => each.path === path && each.method === 'DELETE');
  if (method === 'PUT') return { group, name: `${isOneOfSeveral ? 'add' : 'set'}${rest}` };
  return { group, name: verb + rest };
};
