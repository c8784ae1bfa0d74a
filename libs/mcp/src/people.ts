import { getMe, type HttpOperation, listPeople, type Person } from '@cardinal/contracts';
import { z } from 'zod';
import { type Api, perform } from './api.ts';
import { Refusal } from './refusals.ts';

const anId = '00000000-0000-4000-8000-000000000000';
const isId = (text: string): boolean => z.guid().safeParse(text).success;

/** Whether a field of a request holds ids of users. */
export const isUserField = (field: string): boolean =>
  /(?:^|_)(?:user|person)_ids?$|^(?:add|remove)_assignees$/.test(field);

/** The schema of a field of users, for an argument that takes what they are known by. */
export const asPersonName = (schema: z.ZodType): z.ZodType => {
  const said =
    schema.description ?? (schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType).description : '');
  const named = schema.safeParse([anId]).success ? z.array(z.string()) : z.string();
  const described = `${said?.replace(/\.$/, '')}: id, e-mail or unique name.`;
  return (schema.safeParse(undefined).success ? named.optional() : named).describe(described);
};

const read = async (api: Api, query: Record<string, unknown>): Promise<Person[]> =>
  (await perform(api, listPeople.http, { params: {}, query: { limit: 100, ...query } })).data as Person[];

const idOf = async (api: Api, text: string): Promise<string> => {
  if (text === 'me') return ((await perform(api, getMe.http, { params: {} })).data as { user_id: string }).user_id;
  const isAddress = text.includes('@');
  const all = await read(api, isAddress ? { email: text } : { q: text });
  const same = ({ name }: Person) => name?.localeCompare(text, undefined, { sensitivity: 'accent' }) === 0;
  const [first, ...others] = isAddress ? all : all.filter(same);
  if (!first) throw new Refusal('not_found', `Nobody is known by "${text}"; \`find_people\` looks for people`);
  if (others.length === 0) return first.user_id;
  const each = [first, ...others].map(({ user_id, email }) => `${user_id} (${email ?? 'no e-mail'})`).join(', ');
  throw new Refusal(
    'invalid_request',
    `${others.length + 1} people are called "${text}"; give one of the ids: ${each}`,
  );
};

/**
 * Puts ids in the place of what people are known by.
 * @param words that the API takes as they are: `me` and `none` of a query
 * @throws Refusal where nobody, or more than one, is known by it
 */
export const withUserIds = async <Given extends Record<string, unknown>>(
  api: Api,
  given: Given,
  words: readonly string[] = [],
): Promise<Given> => {
  const one = (value: unknown) =>
    typeof value !== 'string' || isId(value) || words.includes(value) ? value : idOf(api, value);
  const members = Object.entries(given).map(async ([name, value]) => {
    if (!isUserField(name)) return [name, value];
    return [name, await (Array.isArray(value) ? Promise.all(value.map(one)) : one(value))];
  });
  return Object.fromEntries(await Promise.all(members)) as Given;
};

/** People whom an answer names at most. */
const mostNamed = 100;

const idsIn = (value: unknown, found: Set<string>): Set<string> => {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, one] of Object.entries(value)) {
    if (isUserField(name) || name.endsWith('_by'))
      for (const id of [one].flat()) if (typeof id === 'string' && isId(id)) found.add(id);
    idsIn(one, found);
  }
  return found;
};

/**
 * The names of the users in an answer, by their ids; none where nobody has one, or people cannot be read: a name is an ornament.
 * @param operation that answered
 */
export const peopleIn = async (
  api: Api,
  { tag }: Pick<HttpOperation, 'tag'>,
  answer: unknown,
): Promise<{ people?: Record<string, string> }> => {
  const ids = tag === 'People' ? [] : [...idsIn(answer, new Set())].slice(0, mostNamed);
  if (ids.length === 0) return {};
  const found = await read(api, { user_id: ids }).catch(() => []);
  const named = found.flatMap(({ user_id, name }) => (name === null ? [] : [[user_id, name] as const]));
  return named.length > 0 ? { people: Object.fromEntries(named) } : {};
};
