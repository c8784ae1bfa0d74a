/** Languages that Jira is translated into, and some of their neighbours; `Intl` knows their words for months and days. */
const languages = [
  ...[
    'en',
    'de',
    'fr',
    'es',
    'pt',
    'pt-PT',
    'it',
    'nl',
    'da',
    'sv',
    'nb',
    'is',
    'fi',
    'et',
    'lv',
    'lt',
    'pl',
    'cs',
    'sk',
  ],
  ...['sl', 'hu', 'ro', 'ru', 'uk', 'bg', 'el', 'tr', 'ca', 'ja', 'ko', 'zh', 'zh-TW', 'vi', 'id'],
];
/** Words of older versions of Java, and of Jira on them, that `Intl` lacks. */
const more: [number, string[]][] = [
  [3, ['mrz', 'mär', 'maerz']],
  [9, ['sept']],
];
const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'];

/** Normalizes a word for comparison: without points and accents, in lower case. */
export const plainWord = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[\p{M}.'’]/gu, '')
    .toLowerCase()
    .trim();

type Words = Map<string, Set<number>>;

const add = (words: Words, word: string, value: number) => {
  const plain = plainWord(word);
  if (plain === '' || /^\d+$/.test(plain)) return;
  words.set(plain, (words.get(plain) ?? new Set()).add(value));
};

/** Words for the parts of dates, each part written alone and within a date, since some languages decline them. */
const collect = (part: 'month' | 'weekday', moments: Date[], numberOf: (date: Date) => number): Words => {
  const words: Words = new Map();
  for (const language of languages) {
    for (const width of ['short', 'long'] as const) {
      const alone = new Intl.DateTimeFormat(language, { timeZone: 'UTC', [part]: width });
      const within = new Intl.DateTimeFormat(language, {
        timeZone: 'UTC',
        day: 'numeric',
        month: 'short',
        [part]: width,
      });
      for (const moment of moments) {
        for (const format of [alone, within]) {
          const found = format.formatToParts(moment).find(({ type }) => type === part)?.value ?? '';
          add(words, found, numberOf(moment));
        }
      }
    }
  }
  return words;
};

const collectHalves = (): Words => {
  const words: Words = new Map([
    ['am', new Set([0])],
    ['pm', new Set([1])],
    ...['凌晨', '早上', '清晨'].map((word): [string, Set<number>] => [word, new Set([0])]),
    ...['傍晚', '晚上'].map((word): [string, Set<number>] => [word, new Set([1])]),
  ]);
  for (const language of languages) {
    const format = new Intl.DateTimeFormat(language, { timeZone: 'UTC', hour: 'numeric', hour12: true });
    for (const half of [0, 1]) {
      const at = new Date(Date.UTC(2024, 0, 1, half * 12 + 6));
      add(words, format.formatToParts(at).find(({ type }) => type === 'dayPeriod')?.value ?? '', half);
    }
  }
  return words;
};

/** The meaning of each word in all languages; a word with several meanings has none. */
const certain = (words: Words): Map<string, number> =>
  new Map(
    [...words].flatMap(([word, [value, other]]) => (value === undefined || other !== undefined ? [] : [[word, value]])),
  );

let known:
  | { months: Map<string, number>; long: [string, number][]; days: Set<string>; halves: Map<string, number> }
  | undefined;

// Lazy: takes half a second, and only dates with words need it.
const load = () => {
  if (known) return known;
  const months = collect(
    'month',
    Array.from({ length: 12 }, (_, n) => new Date(Date.UTC(2024, n, 11))),
    (date) => date.getUTCMonth() + 1,
  );
  for (const [month, names] of more) for (const name of names) add(months, name, month);
  for (const [n, name] of roman.entries()) add(months, name, n + 1);
  const days = collect(
    'weekday',
    Array.from({ length: 7 }, (_, n) => new Date(Date.UTC(2024, 0, 1 + n))),
    (date) => date.getUTCDay(),
  );
  const long = [...months].flatMap(([word, values]): [string, number][] => [...values].map((value) => [word, value]));
  known = { months: certain(months), long, days: new Set(days.keys()), halves: certain(collectHalves()) };
  return known;
};

/** The month of a word in any language, from 1: a name, or the beginning of names of one month only. */
export const monthOf = (word: string): number | undefined => {
  const plain = plainWord(word);
  const { months, long } = load();
  const named = months.get(plain);
  if (named !== undefined || plain.length < 3 || long.some(([name]) => name === plain)) return named;
  const begun = new Set(long.filter(([name]) => name.startsWith(plain)).map(([, month]) => month));
  return begun.size === 1 ? [...begun][0] : undefined;
};

/** Whether a word names a day of the week. */
export const isWeekday = (word: string): boolean => {
  const plain = plainWord(word);
  return (plain.length > 1 || /^[\p{sc=Han}\p{sc=Hangul}]$/u.test(plain)) && load().days.has(plain);
};

/** 0 for words that mean AM, 1 for PM. */
export const halfOf = (word: string): number | undefined => load().halves.get(plainWord(word));
