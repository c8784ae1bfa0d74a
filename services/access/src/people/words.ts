/** Words of a person, and characters of one, that are looked up at most. */
const [maxWords, maxLetters] = [24, 64];

/** The words of a text as they are looked up: without marks, in small letters, each once. */
export const wordsIn = (text: string): string[] => {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const found = (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => [...word].slice(0, maxLetters).join(''));
  return [...new Set(found)].slice(0, maxWords);
};

/** The words by which a person is found. An address is found by its parts. */
export const wordsOf = ({ name, email }: { name: string | null; email: string | null }): string[] =>
  wordsIn([name, email].filter(Boolean).join(' '));

/** The first text behind all that begin with a prefix, in the order of code points. */
export const behind = (prefix: string): string => `${prefix}\u{10FFFF}`;
