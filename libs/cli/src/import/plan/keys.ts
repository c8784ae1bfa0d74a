import { prefix as prefixSchema } from '@cardinal/contracts';
import type { Identity } from './identity.ts';

/** How keys are read that are no identifiers as they stand. */
export interface KeyRules {
  /** The prefix of numbers that have none. */
  prefix?: string | undefined;
  /** The prefix that takes the place of another one, which is in upper case. */
  prefixFor?: ReadonlyMap<string, string> | undefined;
}

/** What a tracker's key becomes; `old` where it is not the key any more that people wrote down. */
export type KeyMeaning =
  | { identity: Identity; old?: string }
  /** A prefix that cannot be one here. */
  | { foreign: string }
  /** A number, without a prefix for it. */
  | { bare: number }
  | { problem: string };

/** The highest number that can be adopted. */
const highestNumber = 999_999_999_999;
/** `12.0`, which programs make of whole numbers in columns that have gaps. */
const wholeFraction = /^(\d+)\.00?$/;
/** What stands before the last digits of `1,234`, `12.5`, `1e3`, `0x10`: they are a part of a number, and not one. */
const partOfNumber = /^\d[\d.,'’\s]*(?:[ex]\+?)?$/i;
/** A prefix of any kind, what separates it from the number, and the number without leading zeros. */
const anyKey = /^(.*?)([\s\-_#!/:.]*)0*(\d+)$/s;

const isUsable = (prefix: string): boolean => prefixSchema.safeParse(prefix).success;

/**
 * What a tracker's key means here. A number keeps its value whatever stands before it: it never becomes another one.
 * Numbers alone (`12`, `#12`, `007`) are of `prefix`; other prefixes than a workstream can have need one in their place.
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
    return { problem: `the key "${key.slice(0, 40)}" is a number that can be read in several ways` };
  }
  const number = Number(digits);
  if (number < 1 || number > highestNumber) {
    return {
      problem: `the key "${key.slice(0, 40)}" has a number that none can have: 1 to ${highestNumber} are possible`,
    };
  }
  const identity = (of: string): Identity => ({ key: `${of}-${number}`, prefix: of, number });
  if (name === '') return prefix === undefined ? { bare: number } : { identity: identity(prefix) };
  const upper = name.toUpperCase();
  const other = prefixFor?.get(upper);
  if (other !== undefined) return { identity: identity(other), old: key.trim() };
  return separator === '-' && isUsable(upper) ? { identity: identity(upper) } : { foreign: name };
};

/** The identifier that a key becomes, where it becomes one. */
export const identityBy = (key: string, rules: KeyRules): Identity | undefined => {
  const meaning = meaningOf(key, rules);
  return 'identity' in meaning ? meaning.identity : undefined;
};
