/** A line of bash up to the cursor: its words, and how the last one is written. */
export interface BashLine {
  /** Without quotes and backslashes; the last one is what is being typed. */
  words: string[];
  /** The quote in which the cursor stands. */
  quote: '"' | "'" | undefined;
  /** How many characters of the last word bash does not replace. */
  kept: number;
}

interface Word {
  text: string;
  /** Of each character of the text, where it begins in the line. */
  places: number[];
}

/**
 * Splits a line into words as bash does, at blanks outside of quotes. What bash itself hands over is split at `:` and `=`, too
 * (`COMP_WORDBREAKS`).
 * @param replaced the part of the last word that bash replaces, as it is written
 */
export const readBashLine = (line: string, replaced: string): BashLine => {
  const words: Word[] = [];
  let word: Word | undefined;
  let quote: BashLine['quote'];
  const add = (text: string, at: number) => {
    word ??= { text: '', places: [] };
    word.text += text;
    for (let count = 0; count < text.length; count += 1) word.places.push(at);
  };
  for (let at = 0; at < line.length; at += 1) {
    const one = line[at] ?? '';
    if (quote !== "'" && one === '\\' && at + 1 < line.length) {
      at += 1;
      const next = line[at] ?? '';
      add(quote && !'$`"\\'.includes(next) ? `\\${next}` : next, at - 1);
    } else if (one === quote) quote = undefined;
    else if (quote === undefined && (one === '"' || one === "'")) {
      quote = one;
      add('', at);
    } else if (quote === undefined && /\s/.test(one)) {
      if (word) words.push(word);
      word = undefined;
    } else add(one, at);
  }
  const last = word ?? { text: '', places: [] };
  // Behind a `:` or `=` it is that sign, which stays.
  const begin = line.length - (/^[:=]+$/.test(replaced) ? 0 : replaced.length);
  const kept = last.places.filter((place) => place < begin).length;
  return { words: [...words, last].slice(1).map(({ text }) => text), quote, kept };
};

/** A word as it is written in a line, within the quote that is open. */
export const writeBashWord = (text: string, quote: BashLine['quote']): string => {
  if (quote === "'") return text.replaceAll("'", `'\\''`);
  if (quote === '"') return text.replaceAll(/[$`"\\]/g, '\\$&');
  return text.replaceAll(/[^\p{L}\p{N}_./:=@%+,-]/gu, '\\$&');
};
