import { createInterface } from 'node:readline/promises';
import type { HttpOperation } from '@cardinal/contracts';
import { CliError } from '../errors.ts';
import type { Directory } from '../names/directory.ts';
import { isId, kindOf } from '../names/kinds.ts';
import type { Input } from './options.ts';

/** Whether an argument makes a user a member of a board or an assignee of a card. */
export const takesPart = ({ isRead, method }: HttpOperation, { field, part }: Pick<Input, 'field' | 'part'>): boolean =>
  !isRead &&
  method !== 'DELETE' &&
  kindOf(field) === 'user' &&
  (part === 'params' ? field === 'user_id' : field !== 'user_id' && !field.startsWith('remove_'));

const agrees = async (question: string): Promise<boolean> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim());
  } finally {
    lines.close();
  }
};

/**
 * Asks before an id that nobody is known by becomes a member or an assignee: it may have a typo.
 * @param given what was typed: `me`, names and addresses are of somebody
 * @param whole of `--body`
 * @throws CliError where the answer is no, or there is no terminal to ask at
 */
export const checkPeople = async (
  { people }: Pick<Directory, 'people'>,
  operation: HttpOperation,
  given: readonly (readonly [Pick<Input, 'field' | 'part'>, unknown])[],
  whole: Record<string, unknown>,
): Promise<void> => {
  const inBody = Object.entries(whole).map(([field, value]) => [{ field, part: 'body' as const }, value] as const);
  const ids = [...given, ...inBody]
    .filter(([input]) => takesPart(operation, input))
    .flatMap(([, value]) => value)
    .filter((one): one is string => typeof one === 'string' && isId(one));
  const known = await Promise.all(ids.map(people.isKnown));
  const unknown = ids.filter((_, at) => !known[at]);
  if (unknown.length === 0) return;
  const said = `nobody is known by ${unknown.join(', ')}`;
  if (!process.stdin.isTTY) throw new CliError(`${said}; say --yes to take that all the same`);
  if (!(await agrees(`${said}. Take that all the same? [y/N] `))) throw new CliError('nothing was done');
};
