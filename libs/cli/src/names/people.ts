import type { CardinalClient, Person } from '@cardinal/client/source';
import { UsageError } from '../errors.ts';
import { visible } from '../print.ts';
import { isId } from './kinds.ts';

/** People that are asked for at once. */
const atOnce = 100;
/** People that an error lists. */
const mostListed = 5;

const same = (a: string | null, b: string) => a?.localeCompare(b, undefined, { sensitivity: 'accent' }) === 0;

const apart = ({ user_id, name, email, kind }: Person): string =>
  visible(
    `  ${user_id}  "${name}", ${[email ?? 'no e-mail', kind === 'machine' && 'a machine'].filter(Boolean).join(', ')}`,
  );

/** People of the workspace. Nobody is read twice; those who are asked for together are read together. */
export const openPeople = (client: CardinalClient) => {
  const known = new Map<string, Promise<Person | undefined>>();
  let asking: { ids: string[]; answer: Promise<Map<string, Person>> } | undefined;

  const read = async (ids: readonly string[]): Promise<Map<string, Person>> => {
    const found: Person[] = [];
    for (let start = 0; start < ids.length; start += atOnce) {
      found.push(...(await client.people.list({ user_id: ids.slice(start, start + atOnce) }).all()));
    }
    return new Map(found.map((person) => [person.user_id, person]));
  };

  /** @throws CardinalError where people cannot be read */
  const get = (id: string): Promise<Person | undefined> => {
    const key = id.toLowerCase();
    const reading = known.get(key);
    if (reading) return reading;
    if (!asking) {
      const ids: string[] = [];
      const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        asking = undefined;
        return read(ids);
      });
      asking = { ids, answer };
    }
    asking.ids.push(key);
    const one = asking.answer.then((all) => all.get(key));
    known.set(key, one);
    return one;
  };

  /** Who is called so, in any letter case. */
  const called = async (text: string): Promise<Person[]> => {
    const found: Person[] = [];
    for await (const person of client.people.list({ q: text })) if (same(person.name, text)) found.push(person);
    return found;
  };

  const nearest = async (text: string): Promise<string> => {
    const [first = ''] = text.split(/[\s.@]+/);
    const some = first === '' ? [] : await client.people.list({ q: first }).all({ limit: mostListed });
    return some.length > 0
      ? `; is it one of these?\n${some.map(apart).join('\n')}`
      : '; "cardinal people list" shows all';
  };

  return {
    /** What a user's id is called; the id where nobody said it, or people cannot be read: a name is an ornament. */
    nameOf: async (id: string): Promise<string> => (await get(id).catch(() => undefined))?.name ?? id,
    /** Whether somebody is known by an id. @throws CardinalError */
    isKnown: async (id: string): Promise<boolean> => (await get(id)) !== undefined,
    /** The id of `me`, of an e-mail address, or of a name that one person alone has. @throws UsageError for any other text */
    idOf: async (text: string): Promise<string> => {
      if (isId(text)) return text;
      if (text === 'me') return (await client.me.get()).user_id;
      const [first, ...others] = text.includes('@')
        ? await client.people.list({ email: text }).all()
        : await called(text);
      if (!first) throw new UsageError(`nobody is known by "${text}"${await nearest(text)}`);
      if (others.length === 0) return first.user_id;
      const all = [first, ...others].slice(0, mostListed).map(apart).join('\n');
      throw new UsageError(
        `${others.length + 1} people are called "${text}"; say the e-mail address, or the id:\n${all}`,
      );
    },
  };
};
