import { findAccess } from '../login/access.ts';
import { profileNames } from '../login/profiles.ts';
import { connect, type Session } from '../session.ts';
import type { Candidate, Wanted } from './words.ts';

/** How long a completion may take, ms: the user waits. */
const hurry = { timeoutMs: 1_500, retry: { attempts: 1 } };

/** The most names that are offered. */
const most = { limit: 100 };

const named = (all: readonly { name: string }[]): Candidate[] => all.map(({ name }) => ({ value: name }));

/** Names in the workspace, or on this machine, by kind; none where nobody answers in time. */
export const namesOf = async (session: Session, { kind, said }: Wanted): Promise<Candidate[]> => {
  const { environment } = session;
  if (kind === 'profile') return profileNames(environment.profiles ?? '').map((value) => ({ value }));
  const options = ['url', 'token', 'profile'].map((name) => [name, said.get(`--${name}`)] as const);
  const given = Object.fromEntries(options.filter(([, value]) => value !== undefined));
  // A warning would disturb the line that is being typed.
  const quiet = { ...session, isWarned: true, access: () => findAccess(given, environment) };
  const client = () => connect(quiet, hurry);
  switch (kind) {
    case 'board':
      return named(await client().boards.list().all(most));
    case 'user': {
      const all = await client()
        .people.list()
        .all(most)
        .catch(() => []);
      const people = all.flatMap(({ name, email }) => {
        const value = email ?? name;
        return value === null ? [] : [{ value, ...(email !== null && name !== null && { about: name }) }];
      });
      return [{ value: 'me' }, ...people];
    }
    case 'label':
      return named(await client().labels.list().all(most));
    case 'workstream': {
      const all = await client().workstreams.list().all(most);
      return all.map(({ prefix, name }) => ({ value: prefix, about: name }));
    }
    case 'column': {
      const board = said.get('--board');
      if (board === undefined) return [];
      const boards = await client().boards.list().all(most);
      const id = boards.find(({ name }) => name.toLowerCase() === board.toLowerCase())?.id ?? board;
      return named(await client().columns.list(id).all(most));
    }
    default:
      return [];
  }
};
