import { expect, it } from 'vitest';
import { orderOf, readDate } from './dates.ts';

const utc = { zone: 'UTC', order: 'mdy' } as const;
const berlin = { zone: 'Europe/Berlin', order: 'dmy' } as const;

it.each([
  ['25/Feb/26 10:17 PM', utc, '2026-02-25T22:17:00.000Z'],
  ['29/Jan/23 12:00 AM', utc, '2023-01-29T00:00:00.000Z'],
  ['29/Jan/23 12:05 PM', utc, '2023-01-29T12:05:00.000Z'],
  ['30/Jul/18 23:33', berlin, '2018-07-30T21:33:00.000Z'],
  ['11/May/24', berlin, '2024-05-11T12:00:00.000Z'],
  ['6/21/2025 16:14', utc, '2025-06-21T16:14:00.000Z'],
  ['6/7/2025 4:14 PM', berlin, '2025-07-06T14:14:00.000Z'],
  ['24.12.2025 18:00', utc, '2025-12-24T18:00:00.000Z'],
  ['Wed May 13 2026 11:21:41 GMT+0200 (GMT+02:00)', berlin, '2026-05-13T09:21:41.000Z'],
  ['2026-05-13T11:21:41.250Z', berlin, '2026-05-13T11:21:41.250Z'],
  ['2026-05-13T11:21:41+0530', utc, '2026-05-13T05:51:41.000Z'],
  ['2026-05-13 11:21', berlin, '2026-05-13T09:21:00.000Z'],
  ['2026-05-13', utc, '2026-05-13T12:00:00.000Z'],
  ['Jan 29, 2023, 9:00 AM', utc, '2023-01-29T09:00:00.000Z'],
  // Of Jira in other languages.
  ['19/févr./26 7:31 PM', utc, '2026-02-19T19:31:00.000Z'],
  ['08/déc./25 11:10 AM', utc, '2025-12-08T11:10:00.000Z'],
  ['03/Okt/25 7:31 PM', utc, '2025-10-03T19:31:00.000Z'],
  ['03/Mrz/25 19:31', utc, '2025-03-03T19:31:00.000Z'],
  ['01.03.24 09:00', utc, '2024-03-01T09:00:00.000Z'],
  ['13.03.24, 19:31', utc, '2024-03-13T19:31:00.000Z'],
  ['8/set/2025 11h10', utc, '2025-09-08T11:10:00.000Z'],
  ['8 sept. 2025 11 h 10', utc, '2025-09-08T11:10:00.000Z'],
  ['2024年03月01日 19時31分20秒', utc, '2024-03-01T19:31:20.000Z'],
  ['2024년 3월 1일 오후 7시 5분', utc, '2024-03-01T19:05:00.000Z'],
  ['2024\u221203\u221201', utc, '2024-03-01T12:00:00.000Z'],
  ['12/ene/24 10:00 a. m.', utc, '2024-01-12T10:00:00.000Z'],
  ['12/ago./24 10:00 p.\u00a0m.', utc, '2024-08-12T22:00:00.000Z'],
  ['5/paź/24 14:05', utc, '2024-10-05T14:05:00.000Z'],
  ['5 października 2024 14:05', utc, '2024-10-05T14:05:00.000Z'],
  ['19/мая/25 19:31', utc, '2025-05-19T19:31:00.000Z'],
  ['19 февр. 2025 г., 19:31', utc, '2025-02-19T19:31:00.000Z'],
  ['19/fev/25 7:31 PM', utc, '2025-02-19T19:31:00.000Z'],
  ['1 de março de 2024 às 09:00', utc, '2024-03-01T09:00:00.000Z'],
  ['19/二月/26 7:31 下午', utc, '2026-02-19T19:31:00.000Z'],
  ['2026年2月19日 下午7:31', utc, '2026-02-19T19:31:00.000Z'],
  ['2026. 2. 19. 오후 7:31', utc, '2026-02-19T19:31:00.000Z'],
  ['2024. márc. 1. 9:00', utc, '2024-03-01T09:00:00.000Z'],
  ['1. März 2024 um 09:00 Uhr', utc, '2024-03-01T09:00:00.000Z'],
  ['2026年2月19日(木) 19:31', utc, '2026-02-19T19:31:00.000Z'],
  ['12.IV.2024', utc, '2024-04-12T12:00:00.000Z'],
  ['05/Haz/24 14:05', utc, '2024-06-05T14:05:00.000Z'],
  ['vendredi 1 mars 2024 09:00', utc, '2024-03-01T09:00:00.000Z'],
  // Zones, and what mail and git write.
  ['Sun, 20 Apr 2025 10:17:06 UTC+0000', berlin, '2025-04-20T10:17:06.000Z'],
  ['2024-03-01 09:00:00 UTC', berlin, '2024-03-01T09:00:00.000Z'],
  ['2024-03-01 09:00:00 Z', berlin, '2024-03-01T09:00:00.000Z'],
  ['Fri, 01 Mar 2024 09:00:00 +0000', berlin, '2024-03-01T09:00:00.000Z'],
  ['Fri, 1 Mar 2024 09:00:00 GMT', berlin, '2024-03-01T09:00:00.000Z'],
  ['Fri, 01 Mar 2024 09:00:00 EST', berlin, '2024-03-01T14:00:00.000Z'],
  ['Fri Mar  1 09:00:00 UTC 2024', berlin, '2024-03-01T09:00:00.000Z'],
  ['Fri Mar 01 09:00:00 +0530 2024', berlin, '2024-03-01T03:30:00.000Z'],
  ['1. März 2024 9:00 UHR', berlin, '2024-03-01T08:00:00.000Z'],
  ['2024-03-01 09:00:00 -0530', utc, '2024-03-01T14:30:00.000Z'],
  ['2024-03-01 09:00:00.123456+02', utc, '2024-03-01T07:00:00.123Z'],
  ['2024-03-01T09:00:00.5+01:00[Europe/Berlin]', utc, '2024-03-01T08:00:00.500Z'],
  ['2024-03-01 9:00 AM GMT+1', utc, '2024-03-01T08:00:00.000Z'],
  ['Fri Mar 01 2024 09:00:00 GMT+0100 (Central European Standard Time)', utc, '2024-03-01T08:00:00.000Z'],
  ['Fri Mar  1 09:00:00 2024', utc, '2024-03-01T09:00:00.000Z'],
  ['Fri Mar 1 09:00:00 2024 +0100', utc, '2024-03-01T08:00:00.000Z'],
  ['March 1st, 2024 9:00 AM', utc, '2024-03-01T09:00:00.000Z'],
  ['01-Mar-2024', utc, '2024-03-01T12:00:00.000Z'],
  ['20240301T090000Z', berlin, '2024-03-01T09:00:00.000Z'],
  // Milliseconds and seconds since 1970.
  ['1709283600000', berlin, '2024-03-01T09:00:00.000Z'],
  ['1709283600', berlin, '2024-03-01T09:00:00.000Z'],
  // The hour that a spring day lacks, and the first after it.
  ['29/Mar/26 03:30', berlin, '2026-03-29T01:30:00.000Z'],
])('reads %s', (text, rules, expected) => {
  expect(readDate(text, rules)).toBe(expected);
});

it.each([
  'yesterday',
  '31/Feb/24',
  '13/13/2025',
  '31/Foo/24',
  '2026-05-13T',
  '1/2',
  '',
  '2024-03-01 09:00:00 CST',
  '2024-03-01 09:00:00 IST',
  '2024-03-01 09:00:00 CET',
  '2024-03-01 09:00 PET',
  'Fri Mar  1 09:00:00 CEST 2024',
  '45361.5',
  '17092836000000',
  '2024-03-01 09:00:00 +99:00',
  '2024-03-01 25:00',
  '2024-03-01 9:75',
  '29/Feb/23',
  '31 juin 2024',
  '12/lis/24 and more',
  '12 2024',
  '120/3/2024',
  '2024-03-01 09:00:00 tomorrow',
])('refuses %j', (text) => {
  expect(readDate(text, utc)).toBeUndefined();
});

it('finds out from a sample whether the day or the month comes first', () => {
  expect(orderOf(['6/7/2025', '6/21/2025 16:14'])).toBe('mdy');
  expect(orderOf(['6/7/2025', '21/6/2025'])).toBe('dmy');
  expect(orderOf(['6/7/2025', '24.12.2025', '25/Feb/26'])).toBeUndefined();
});

// Languages that Jira comes in.
it.each([
  ...['cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'hu', 'is', 'it', 'ja', 'ko', 'nb', 'nl', 'pl'],
  ...['pt-BR', 'pt-PT', 'ro', 'ru', 'sk', 'sl', 'sv', 'tr', 'uk', 'vi', 'zh', 'zh-TW'],
])('reads the names of all months in %s, within a date and alone', (language) => {
  const partOf = (moment: Date, name: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
      .formatToParts(moment)
      .find(({ type }) => type === name)?.value;
  for (let month = 0; month < 12; month += 1) {
    const moment = new Date(Date.UTC(2025, month, 9, 19, 31));
    const half = partOf(moment, 'dayPeriod', { hour: 'numeric', hour12: true }) ?? 'PM';
    for (const width of ['short', 'long'] as const) {
      for (const options of [{ month: width }, { day: 'numeric', month: width }] as const) {
        const text = `09/${partOf(moment, 'month', options)}/25 7:31 ${half}`;
        expect([text, readDate(text, { zone: 'UTC', order: 'dmy' })]).toEqual([text, moment.toISOString()]);
      }
    }
  }
});
