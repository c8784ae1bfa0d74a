import leven from 'leven';
import { UsageError } from '../errors.ts';
import { visible } from '../print.ts';
import type { Kind } from './kinds.ts';

/** What is found by its name. */
export interface Named {
  id: string;
  name: string;
  created_at: string;
  prefix?: string;
  visibility?: string;
  color?: string;
  archived_at?: string | null;
  /** Of a column: what its board is called. */
  board?: string;
}

const same = (a: string, b: string) => a.localeCompare(b, undefined, { sensitivity: 'accent' }) === 0;

/** Those that a name means: by a prefix, by the very name, else by the name in any letter case. */
const meant = (all: readonly Named[], text: string): Named[] => {
  const byPrefix = all.filter(({ prefix }) => prefix === text.toUpperCase());
  if (byPrefix.length > 0) return byPrefix;
  const exact = all.filter(({ name }) => name === text);
  return exact.length > 0 ? exact : all.filter(({ name }) => same(name, text));
};

const apart = ({ id, name, board, prefix, visibility, color, created_at, archived_at }: Named): string => {
  const facts = [board && `on board "${board}"`, prefix, visibility, color, `created ${created_at.slice(0, 16)}Z`];
  return visible(`  ${id}  "${name}", ${[...facts, archived_at && 'archived'].filter(Boolean).join(', ')}`);
};

const maxShown = 5;

const nearest = (all: readonly Named[], text: string): string => {
  const names = [...new Set(all.map(({ name, prefix }) => (prefix ? `${prefix} (${name})` : name)))];
  const distance = (name: string) => leven(name.toLowerCase(), text.toLowerCase());
  const shown = names.sort((a, b) => distance(a) - distance(b)).slice(0, maxShown);
  const rest = names.length > maxShown ? ` and ${names.length - maxShown} more` : '';
  return `${shown.map((name) => `"${visible(name)}"`).join(', ')}${rest}`;
};

/**
 * The one that a name means.
 * @param read those that are active, or archived; the archived ones are looked at where no active one is meant
 * @param where what was looked through, ` on board "Launch"`
 * @throws UsageError where it is several, or none
 */
export const findNamed = async (
  kind: Kind,
  text: string,
  read: (archived: boolean) => Promise<readonly Named[]>,
  where = '',
): Promise<Named> => {
  const looked: Named[] = [];
  for (const archived of [false, true]) {
    const all = await read(archived);
    looked.push(...all);
    const [first, ...others] = meant(all, text);
    if (first && others.length === 0) return first;
    if (first) {
      const each = [first, ...others].map(apart).join('\n');
      const way = kind === 'column' && where === '' ? 'say --board, or its id' : 'say its id';
      throw new UsageError(`${others.length + 1} ${kind}s are called "${text}"${where}; ${way}:\n${each}`);
    }
  }
  const there =
    looked.length > 0 ? `there ${looked.length > 1 ? 'are' : 'is'} ${nearest(looked, text)}` : `there are no ${kind}s`;
  throw new UsageError(`no ${kind} is called "${text}"${where}; ${there}`);
};
