import { wallOf } from './date-parts.ts';

/** How to read dates without a zone, and dates whose month is not certain. */
export interface DateRules {
  /** An IANA time zone. */
  zone: string;
  /** Of `6/7/2025`: whether the day or the month comes first. */
  order: 'dmy' | 'mdy';
}

const numbers = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;
/** A zone after a time: `Z`, `UTC`, `GMT`, an offset (`+0530`, `UTC+2`), and a name in brackets, which is ignored. */
const zone =
  /(?<=\d|[ap]\.?m\.?|\s)\s*(?:(Z|UTC|GMT|UT)\s*)?(?:([+-])(\d{1,2})(?::?(\d\d))?)?\s*(?:\([^)]*\)|\[[^\]]*\])?$/i;
/** Words of RFC 2822 (4.3), which count in dates of its form alone: elsewhere CST is Chinese time as well. */
const mailZones: Record<string, number> = { EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 };
const mailDate = /^[a-z]{3}, \d{1,2} [a-z]{3} \d{2,4} [\d:]{5,8} ([ECMP][SD]T)$/i;
/** `19時31分20秒`, with or without seconds, of Chinese, Japanese and Korean. */
const timeOfCjk = /(\d{1,2}) ?[時时點点시] ?(\d{1,2}) ?[分분](?: ?(\d{1,2}) ?[秒초])?/;
const pad = (digits: string) => digits.padStart(2, '0');
/** Seconds since 1970, or ms: of the years 2001 to 2286. */
const epoch = /^[1-9]\d{9}(\d{3})?$/;
const hourMs = 60 * 60 * 1000;
const noonMs = 12 * hourMs;

/** Removes the zone from a text. @returns its offset in ms, undefined if there is none, and the text before it */
const takeZone = (text: string): { offset: number | undefined; rest: string } => {
  const word = mailDate.exec(text)?.[1];
  if (word) return { offset: (mailZones[word.toUpperCase()] ?? 0) * hourMs, rest: text.slice(0, -word.length) };
  const match = zone.exec(text);
  const [all = '', name, sign, hours = '0', minutes = '0'] = match ?? [];
  const rest = text.slice(0, text.length - all.length);
  // After a date without a time it would be a part of the date.
  if ((name === undefined && sign === undefined) || !/\d[:.h]\d\d/.test(rest)) return { offset: undefined, rest: text };
  if (Number(hours) > 14 || Number(minutes) > 59) return { offset: undefined, rest: text };
  return { offset: (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * 60_000), rest };
};

// Cached by quarter of an hour: no zone has changed its offset within one since 1970.
const quarterMs = 15 * 60 * 1000;
const offsets = new Map<string, number>();
const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string) => {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  return format;
};

/** How far a zone is ahead of UTC at a moment, in ms. @throws RangeError for an unknown zone */
const offsetAt = (zone: string, at: number): number => {
  const quarter = Math.floor(at / quarterMs);
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const name = formatOf(zone)
    .formatToParts(quarter * quarterMs)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  if (offsets.size > 50_000) offsets.clear();
  offsets.set(key, offset);
  return offset;
};

const utcOf = (local: number, zone: string) => {
  if (zone === 'UTC') return local;
  const guess = local - offsetAt(zone, local);
  return local - offsetAt(zone, guess);
};

/**
 * Converts a date of a tracker or spreadsheet to RFC 3339 in UTC. A day without a time is noon UTC, so that it is that day nearly
 * everywhere. Undefined if it is malformed or ambiguous. Years of two digits are of this century.
 * @param isDay whether the field has no time: its tracker writes midnight then
 */
export const readDate = (text: string, { zone: ofUser, order }: DateRules, isDay = false): string | undefined => {
  const trimmed = text
    .normalize('NFKC')
    .replaceAll(/[\s\u200e\u200f\u202f]+/g, ' ')
    .replaceAll(/[\u2010\u2011\u2212]/g, '-')
    .replace(timeOfCjk, (_, hour, minute, second = '0') => ` ${[hour, pad(minute), pad(second)].join(':')}`)
    .trim();
  const sinceEpoch = epoch.exec(trimmed);
  if (sinceEpoch) return new Date(Number(trimmed) * (sinceEpoch[1] === undefined ? 1_000 : 1)).toISOString();
  // ISO 8601 without separators.
  const spread = trimmed.replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)?(?!\d)/,
    (_, y, m, d, h, min, s = '00') => `${y}-${m}-${d} ${h}:${min}:${s}`,
  );
  // `date` and Java print the year last.
  const ordered = spread.replace(/(:\d\d) (UTC|GMT|Z|[+-]\d\d:?\d\d) (\d{4})$/i, '$1 $3 $2');
  const { offset, rest } = takeZone(ordered);
  const wall = wallOf(rest, order);
  if (!wall) return undefined;
  const { year, month, day, hour, minute, second, ms, hasTime } = wall;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (!hasTime || (isDay && hour + minute + second + ms === 0)) return new Date(local.getTime() + noonMs).toISOString();
  local.setUTCHours(hour, minute, second, ms);
  const at = offset === undefined ? utcOf(local.getTime(), ofUser) : local.getTime() - offset;
  return new Date(at).toISOString();
};

/** The begin of a day whose noon is still ahead, on that day: what happened on it has happened. Other moments stay. */
export const notAhead = (date: string, now: number): string => {
  const at = Date.parse(date);
  const isNoon = at % (2 * noonMs) === noonMs;
  return isNoon && at > now && at - noonMs <= now ? new Date(at - noonMs).toISOString() : date;
};

/** A moment of RFC 3339 in UTC; null for none. */
export const inUtc = (text: string | null | undefined): string | null => (text ? new Date(text).toISOString() : null);

/** Detects the order of day and month from a sample (`21/6/2025`); undefined if each date fits both. */
export const orderOf = (sample: Iterable<string>): DateRules['order'] | undefined => {
  for (const text of sample) {
    const [, first, separator, second] = numbers.exec(text.trim()) ?? [];
    if (separator === '.' || first === undefined) continue;
    if (Number(first) > 12) return 'dmy';
    if (Number(second) > 12) return 'mdy';
  }
  return undefined;
};
