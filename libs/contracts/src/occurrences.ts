import { formatIdentifier, parseIdentifier } from './card-identifier.ts';

/** Part of a text that looks like an identifier. */
export interface Occurrence {
  /** Its spelling in the text. */
  requested: string;
  /** Its canonical form. */
  identifier: string;
  prefix: string;
  /** Code points before it, and up to its end. */
  start: number;
  end: number;
}

/** Scripts without spaces between words: their letters delimit an identifier as a space does. */
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const letters = `[[\\p{L}\\p{M}\\p{N}]--[${unspaced.map((name) => `\\p{Script_Extensions=${name}}`).join('')}]]`;
// No repetition is unbounded, so each character is read some thirty times at most.
const free = { before: `(?<!${letters}|[_\\-])`, after: `(?!${letters}|-\\p{N})` };
const inCapitals = new RegExp(`${free.before}[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,14}${free.after}`, 'gv');
const inAnyCase = new RegExp(`${free.before}[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]{0,14}${free.after}`, 'gv');

/** The second half of a surrogate pair, which is one code point. */
const isSecond = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Finds parts of a text that look like an identifier and stand free: no letter, digit, `-` or `_` before; no letter, no
 * digit, and no `-` before a digit after. Letters of scripts without spaces do not count (CONTRACT 4.6). Its time is
 * linear in the length of the text.
 * @param anyCase also matches lower and mixed case
 */
export const occurrencesIn = (text: string, anyCase: boolean): Occurrence[] => {
  const found: Occurrence[] = [];
  let [unit, point] = [0, 0];
  for (const { index, 0: requested } of text.matchAll(anyCase ? inAnyCase : inCapitals)) {
    for (; unit < index; unit += 1) if (!isSecond(text.charCodeAt(unit))) point += 1;
    const parsed = parseIdentifier(requested);
    if (!parsed) continue;
    const { prefix, number } = parsed;
    const identifier = formatIdentifier(prefix, number);
    found.push({ requested, identifier, prefix, start: point, end: point + requested.length });
  }
  return found;
};
