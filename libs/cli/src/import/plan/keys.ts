import { prefix as prefixSchema } from '@cardinal/contracts';
import type { Identity } from './identity.ts';

/** How to read keys that are no valid identifiers. */
export interface KeyRules {
  /** The prefix for numbers without one. */
  prefix?: string | undefined;
  /** Replacements of prefixes; the former one is in upper case. */
  prefixFor?: ReadonlyMap<string, string> | undefined;
}

/** The identifier of a tracker's key; `old` if it differs from the key that people wrote down. */
export type KeyMeaning =
  | { identity: Identity; old?: string }
  /** A prefix that is not valid here. */
  | { foreign: string }
  /** A number without a prefix. */
  | { bare: number }
  | { problem: string };

/** The highest number that can be adopted. */
const highestNumber = 999_999_999_999;
/** `12.0`: programs write whole numbers so in columns with empty cells. */
const wholeFraction = /^(\d+)\.00?$/;
/** The part before the last digits of `1,234`, `12.5`, `1e3`, `0x10`: these digits are a part of a number, not a number. */
const partOfNumber = /^\d[\d.,'’\s]*(?:[ex]\+?)?$/i;
/** A prefix of any kind, what separates it from the number, and the number without leading zeros. */
const anyKey = /^(.*?)([\s\-_#!/:.]*)0*(\d+)$/s;

const isUsable = (prefix: string): boolean => prefixSchema.safeParse(prefix).success;

/**
 * Converts a tracker's key. Its number never changes.
 * Numbers alone (`12`, `#12`, `007`) get `prefix`; prefixes that a workstream cannot have need a replacement.
 */
export const meaningOf = (key: string, { prefix, prefixFor }: KeyRules): KeyMeaning => {
  const written = key
    .normalize('NFKC')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .trim()
    .replace(wholeFraction, '$1');
  const [, name = '', separator = '', digits] = anyKey.exec(written) ?? [];
  if (digits === undefined) return { problem: `the key "${key.slice(0, 40)}" has no number` };
  if (partOfNumber.test(`${name}${separator}`)) {
    return { problem: `the key "${key.slice(0, 40)}" is an ambiguous number` };
  }
  const number = Number(digits);
  if (number < 1 || number > highestNumber) {
    return {
      problem: `the key "${key.slice(0, 40)}" has a number out of range: 1 to ${highestNumber} is the range`,
    };
  }
  const identity = (of: string): Identity => ({ key: `${of}-${number}`, prefix: of, number });
  if (name === '') return prefix === undefined ? { bare: number } : { identity: identity(prefix) };
  const upper = name.toUpperCase();
  const other = prefixFor?.get(upper);
  if (other !== undefined) return { identity: identity(other), old: key.trim() };
  return separator === '-' && isUsable(upper) ? { identity: identity(upper) } : { foreign: name };
};

/** The identifier of a key; undefined if it has none. */
export const identityBy = (key: string, rules: KeyRules): Identity | undefined => {
  const meaning = meaningOf(key, rules);
  return 'identity' in meaning ? meaning.identity : undefined;
};
