/** How a tracker's dates are meant that say neither their zone nor which number is the month. */
export interface DateRules {
  /** An IANA time zone. */
  zone: string;
  /** Of `6/7/2025`: whether the day or the month comes first. */
  order: 'dmy' | 'mdy';
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const time = '(?:,?[ T]+(\\d{1,2}):(\\d\\d)(?::(\\d\\d)(?:\\.\\d+)?)?(?:\\s*([AaPp])\\.?[Mm]\\.?)?)?$';
const dayMonthName = new RegExp(`^(\\d{1,2})[/ .-]+([A-Za-z]{3})[a-z]*\\.?[/ .,-]+(\\d{4}|\\d{2})${time}`);
const monthNameDay = new RegExp(`^([A-Za-z]{3})[a-z]*\\.? (\\d{1,2}),? (\\d{4})${time}`);
const yearFirst = new RegExp(`^(\\d{4})([/.-])(\\d{1,2})\\2(\\d{1,2})${time}`);
const numbers = new RegExp(`^(\\d{1,2})([/.-])(\\d{1,2})\\2(\\d{4}|\\d{2})${time}`);
/** RFC 3339, and what JavaScript prints (`Wed May 13 2026 11:21:41 GMT+0000 (UTC)`): both say their zone. */
const zoned = /^(\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)|\w{3} \w{3} \d\d \d{4} [\d:]{8} GMT[+-]\d{4}( \(.*\))?)$/i;

// Minutes of a quarter of an hour share an offset: no zone has changed its own within one since 1970.
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

type Clock = (string | undefined)[];

const moment = (year: string, month: number, day: string, [hour = '0', minute = '0', second = '0', half]: Clock) => {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const fullYear = year.length === 2 ? 2000 + Number(year) : Number(year);
  const at = new Date(Date.UTC(fullYear, month - 1, Number(day), hours, Number(minute), Number(second)));
  // The 31st of a month that has 30 days would become the 1st of the next.
  const holds = at.getUTCDate() === Number(day) && at.getUTCMonth() === month - 1 && hours < 24 && Number(minute) < 60;
  return holds ? at.getTime() : undefined;
};

const localOf = (text: string, order: DateRules['order']): number | undefined => {
  const monthOf = (name: string) => months.indexOf(name.toLowerCase()) + 1;
  let match = dayMonthName.exec(text);
  if (match) return moment(match[3] ?? '', monthOf(match[2] ?? ''), match[1] ?? '', match.slice(4));
  match = monthNameDay.exec(text);
  if (match) return moment(match[3] ?? '', monthOf(match[1] ?? ''), match[2] ?? '', match.slice(4));
  match = yearFirst.exec(text);
  if (match) return moment(match[1] ?? '', Number(match[3]), match[4] ?? '', match.slice(5));
  match = numbers.exec(text);
  if (!match) return undefined;
  const [first = '', third = ''] = [match[1], match[3]];
  // With points the day comes first wherever they are used.
  const dayFirst = order === 'dmy' || match[2] === '.';
  return moment(match[4] ?? '', Number(dayFirst ? third : first), dayFirst ? first : third, match.slice(5));
};

/**
 * A date as trackers and spreadsheets write it, in RFC 3339 in UTC; a day alone begins in the zone. Undefined for what
 * is no date. Years of two digits are of this century.
 */
export const readDate = (text: string, { zone, order }: DateRules): string | undefined => {
  const trimmed = text.trim();
  const ms = zoned.test(trimmed) ? Date.parse(trimmed) : localOf(trimmed, order);
  if (ms === undefined || Number.isNaN(ms)) return undefined;
  return new Date(zoned.test(trimmed) ? ms : utcOf(ms, zone)).toISOString();
};

/** A moment of RFC 3339 in UTC; null for none. */
export const inUtc = (text: string | null | undefined): string | null => (text ? new Date(text).toISOString() : null);

/** Which order the dates of a sample show (`21/6/2025`); undefined where each could be either. */
export const orderOf = (sample: Iterable<string>): DateRules['order'] | undefined => {
  for (const text of sample) {
    const [, first, separator, second] = numbers.exec(text.trim()) ?? [];
    if (separator === '.' || first === undefined) continue;
    if (Number(first) > 12) return 'dmy';
    if (Number(second) > 12) return 'mdy';
  }
  return undefined;
};
