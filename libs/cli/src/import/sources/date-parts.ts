import { halfOf, isWeekday, monthOf, plainWord } from './calendar-words.ts';

/** A local date and time, without a zone. */
export interface Wall {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
  /** Whether the text names a time. */
  hasTime: boolean;
}

interface Clock extends Pick<Wall, 'hour' | 'minute' | 'second' | 'ms' | 'hasTime'> {
  /** The rest of the text: the date alone. */
  rest: string;
}

/** Words between the parts of a date (`1 de marzo de 2024 a las 9:00`, `1. März 2024 um 9:00 Uhr`). */
const fillers = new Set([
  'de',
  'del',
  'of',
  'at',
  'a',
  'as',
  'alle',
  'ore',
  'las',
  'um',
  'uhr',
  'kl',
  'klo',
  'o',
  'la',
  'th',
  'st',
  'nd',
  'rd',
  'г',
  'р',
  'в',
  'om',
  'den',
  'ngay',
  'thang',
  'nam',
  'luc',
  'kell',
  'v',
  'στις',
  'ob',
]);
// No point after the hours: it also separates the parts of a date (`01.03.24 09:00`).
const clock = /(?:^|[\sT,;])(\d{1,2})[:h](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?(?![\d.:/-])/;
const pointed = /(?:,|\bklo?\.?|\bkell|\bore)\s*(\d{1,2})\.(\d{2})$/;
/** `tháng 3`, which Vietnamese calls a month. */
const isMonthAhead = /^th(?:g|ang)$/;
/** A day of the week right behind a date without blanks. */
const dayOfCjk = /日(?:[月火水木金土日]曜日?|星期[一二三四五六日天]|[週周][一二三四五六日])/u;
const longestYear = 9999;
/** `CET`, `PET`: after a time these are zones, although they are days of the week in some language (`čet`, `pet`). */
const zoneWord = /^[A-Z]{3,5}$/;

/**
 * Extracts the time of a text: `19:31`, `7:31:02.5 PM`, `下午7:31`; midnight if it has none.
 * @returns undefined if the time is malformed, or the name of a zone follows it
 */
const takeClock = (text: string): Clock | undefined => {
  const spaced = text
    .replace(/(?<=\d)T(?=\d)/i, ' ')
    .replace(/(\d) ?h ?(\d\d)(?!\d)/i, '$1:$2')
    .replace(/(\p{L})(\d{1,2}:\d\d)/gu, '$1 $2');
  // A point separates hours and minutes only after a word or a comma that marks a time.
  const match = spaced.includes(':') ? clock.exec(spaced) : pointed.exec(spaced);
  if (!match) return { hour: 0, minute: 0, second: 0, ms: 0, hasTime: false, rest: text };
  const [all, hours, minutes, seconds = '0', fraction = '0'] = match;
  const before = spaced.slice(0, match.index);
  const after = spaced.slice(match.index + all.length);
  const near = /^\s*([\p{L}.\s]{1,12}?)(?=$|[\d,;(])/u.exec(after)?.[1] ?? '';
  const ahead = /(?:^|[\s\d.,])([^\s\d.,]+)\s*$/u.exec(before)?.[1] ?? '';
  const [behind, early] = [halfOf(near.replace(/\s/g, '')), halfOf(ahead)];
  const half = behind ?? early;
  const word = near.trim();
  if (behind === undefined && zoneWord.test(word) && !fillers.has(plainWord(word))) return undefined;
  const hour = Number(hours);
  if (hour > (half === undefined ? 23 : 12) || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  const rest = behind === undefined ? after : after.replace(near, '');
  return {
    hour: half === undefined ? hour : (hour % 12) + 12 * half,
    minute: Number(minutes),
    second: Math.min(Number(seconds), 59),
    ms: Math.floor(Number(`0.${fraction}`) * 1000),
    hasTime: true,
    rest: `${behind === undefined && early !== undefined ? before.slice(0, before.lastIndexOf(ahead)) : before} ${rest}`,
  };
};

const fullYear = (year: string) => (year.length === 2 ? 2000 + Number(year) : Number(year));

/** Year, month and day of three numbers with separators. */
const ofNumbers = (numbers: string[], separator: string, order: 'dmy' | 'mdy') => {
  const [first = '', second = '', third = ''] = numbers;
  if (first.length === 4) return [fullYear(first), Number(second), Number(third)] as const;
  if (third.length !== 4 && third.length !== 2) return undefined;
  // With points the day is always first.
  const isDayFirst = order === 'dmy' || separator.includes('.');
  const [day, month] = isDayFirst ? [first, second] : [second, first];
  return [fullYear(third), Number(month), Number(day)] as const;
};

/** Year, month and day of a date with the name of a month, which follows `place` numbers. */
const ofName = (numbers: string[], month: number, place: number) => {
  const [first = '', second = ''] = numbers;
  if (first.length === 4) return [fullYear(first), month, Number(second)] as const;
  // Of two short numbers the year is the last one, unless the month is at the end.
  if (second.length === 4 || (second.length === 2 && place < 2))
    return [fullYear(second), month, Number(first)] as const;
  return undefined;
};

/** Parses a date of numbers and names of months, with or without a day of the week; undefined if it is malformed. */
const dateOf = (text: string, order: 'dmy' | 'mdy') => {
  const compact = /^\s*(\d{4})(\d\d)(\d\d)\s*$/.exec(text);
  if (compact) return ofNumbers(compact.slice(1), '', order);
  const parts = text.replace(dayOfCjk, '日').match(/\d+|\p{L}[\p{L}\p{M}.'’]*(?:-\p{L}+)*|[^\p{L}\d\s]+/gu) ?? [];
  const numbers: string[] = [];
  let month: number | undefined;
  let place = 0;
  let isNumbered = false;
  for (const [n, part] of parts.entries()) {
    if (/^\d/.test(part)) {
      if (isNumbered || /^[月월]$/.test(parts[n + 1] ?? '')) [month, place] = [Number(part), numbers.length];
      else numbers.push(part);
      isNumbered = false;
    } else if (/^[年月日년월일]$/.test(part)) continue;
    else if (/^\p{L}/u.test(part)) {
      const plain = plainWord(part);
      const named = monthOf(part);
      if (named !== undefined && month === undefined) [month, place] = [named, numbers.length];
      else if (isMonthAhead.test(plain)) isNumbered = true;
      else if (!fillers.has(plain) && !isWeekday(part)) return undefined;
    } else if (!/^[-/.,;·–()]+$/.test(part)) return undefined;
  }
  if (numbers.some((number) => number.length > 4 || number.length === 3)) return undefined;
  if (month !== undefined) return numbers.length === 2 ? ofName(numbers, month, place) : undefined;
  const separators = parts.filter((part) => /^[-/.]/.test(part)).join('');
  return numbers.length === 3 ? ofNumbers(numbers, separators, order) : undefined;
};

/**
 * Parses a date in any language and order of its parts.
 * @returns undefined if it is malformed, or no calendar has it
 */
export const wallOf = (text: string, order: 'dmy' | 'mdy'): Wall | undefined => {
  const time = takeClock(text);
  const parts = time && dateOf(time.rest, order);
  if (!time || !parts) return undefined;
  const [year, month, day] = parts;
  if (month < 1 || month > 12 || day < 1 || year > longestYear) return undefined;
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const { rest: _, ...clockOf } = time;
  return day <= last ? { year, month, day, ...clockOf } : undefined;
};
