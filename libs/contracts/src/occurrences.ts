import { formatIdentifier, parseIdentifier } from './card-identifier.ts';

/** Something in a text that looks like an identifier. */
export interface Occurrence {
  /** As it is spelled. */
  requested: string;
  /** In its canonical spelling. */
  identifier: string;
  prefix: string;
  /** Code points before it, and to its end. */
  start: number;
  end: number;
}

/** Scripts that are written without blanks between words: their letters stand beside an identifier as a blank does. */
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const letters = `[[\\p{L}\\p{M}\\p{N}]--[${unspaced.map((name) => `\\p{Script_Extensions=${name}}`).join('')}]]`;
// No repetition is unbounded, so that each character is looked at some thirty times at most.
const free = { before: `(?<!${letters}|[_\\-])`, after: `(?!${letters}|-\\p{N})` };
const inCapitals = new RegExp(`${free.before}[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,14}${free.after}`, 'gv');
const inAnyCase = new RegExp(`${free.before}[A-Za-z][A-Za-z0-9]{1,9}-[1-9][0-9]{0,14}${free.after}`, 'gv');

/** Of a pair of surrogates, which is one code point, the second one. */
const isSecond = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * Finds what looks like an identifier in a text and stands free: before it no letter, digit, `-` or `_`; after it no letter, no
 * digit, and no `-` before a digit. Letters of scripts without blanks do not count (CONTRACT 4.6). Takes
 * time that grows with the length of the text.
 * @param anyCase also what is not in capitals
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
