import { randomUUID } from 'node:crypto';
import { resolved, type Schema } from './schemas.ts';

/** A number as its JSON text, which the parser converts. */
const written = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

const ofAnyType = [null, true, 'text', 7, [], {}];

/** Where the types of columns and of JavaScript end. */
const numbers = [
  ...[0, -1, 0.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e308, -1e308, 5e-324],
  ...['1e400', '-0', '9223372036854775808'].map(written),
];

const numbersOf = ({ minimum, maximum }: Schema) => [
  ...numbers,
  ...(minimum === undefined ? [] : [minimum, minimum - 1]),
  ...(maximum === undefined ? [] : [maximum, maximum + 1]),
  '1',
];

/** Of one byte and of four, and of six in JSON; where one of them is one too many is not asked of each. */
const [characters, others] = [
  ['a', '😀', '\u0001'],
  ['ß', '你', '"', 'e\u0301'],
];
/** Values that parsers, comparisons and databases often handle wrongly. */
const oddTexts = [
  ...['', '\t\u3000', ' a ', 'a\0b', '\ud800', 'a\udc00b', '\ufffe\uffff', '\ufeffa', '\u2028'],
  ...["'; select 1 --", '\\u0000', '%_', '__proto__'],
];
const ofLength = (character: string, length: number) =>
  character.repeat(Math.floor(length / Array.from(character).length)).padEnd(length, 'a');

const textsOf = ({ minLength = 0, maxLength }: Schema) => [
  ...oddTexts,
  ...(minLength > 1 ? ['a'.repeat(minLength), 'a'.repeat(minLength - 1)] : []),
  ...(maxLength === undefined
    ? ['a'.repeat(5_000)]
    : [
        ...[...characters, ...others].map((one) => ofLength(one, maxLength)),
        ...characters.map((one) => `a${ofLength(one, maxLength)}`),
      ]),
];

const id = '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b';
const uuids = [
  ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', id.toUpperCase()],
  ...[`{${id}}`, `urn:uuid:${id}`, id.replaceAll('-', ''), id.slice(1), `${id}0`, `${id}\n`, id.replace('7', 'g')],
];

const times = [
  ...['0001-01-01T00:00:00Z', '0000-12-31T23:59:59Z', '0001-01-01T00:00:00+00:01', '0000-12-31T23:59:00-00:01'],
  ...['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-00:01', '9999-12-31T23:59:60Z', '10000-01-01T00:00:00Z'],
  ...['1970-01-01T00:00:00Z', '1969-12-31T23:59:59.999Z', '2038-01-19T03:14:08Z'],
  ...['2016-12-31T23:59:60Z', '2016-12-31T23:59:61Z', '2030-01-31T18:59:60-05:00', '2030-01-15T12:30:60Z'],
  ...[
    '2030-01-31T17:00:00+23:59',
    '2030-01-31T17:00:00+24:00',
    '2030-01-31T17:00:00-00:00',
    '2030-01-31T17:00:00+0100',
  ],
  ...['2024-02-29T00:00:00Z', '2023-02-29T00:00:00Z', '2030-01-31T24:00:00Z', '2030-01-31t17:00:00z'],
  ...[
    '2030-01-31T17:00:00.123456789123456789Z',
    '2030-01-31T17:00:00.Z',
    '2030-01-31',
    '2030-01-31T17:00Z',
    '20300131T170000Z',
  ],
  ...['2030-01-31 17:00:00Z', '+002030-01-31T17:00:00Z', 'now', 'infinity', '1893456000000'],
];

const urls = [
  ...['https://example.com', 'https://example.com/?a=b', 'https://EXAMPLE.com:443/../a', 'https://xn--mnchen-3ya.de/'],
  ...[
    'https://münchen.de/ä?ö',
    'https://[::1]/',
    'https://127.1/',
    'https://example.com:65535/',
    'https://example.com:65536/',
  ],
  ...[
    'https://',
    'http:///a',
    'https:example.com',
    'ftp://example.com/',
    'javascript:alert(1)',
    'https://u@example.com/',
  ],
  ...[
    'https://u:p@example.com/',
    'https://@example.com/',
    'https://example.com/#a',
    'https://example.com/a b',
    '//a',
    'a',
    '',
  ],
  `https://example.com/${'a'.repeat(2_048 - 20)}`,
  `https://example.com/${'a'.repeat(2_048 - 19)}`,
  `https://example.com/${'ä'.repeat(400)}`,
];

/** What fields with a pattern may look like, and what they may not; of each kind the first one fits its own pattern alone. */
const spellings = [
  [
    ...['PAY-1', 'pay-1', 'PAY-999999999999', 'PAY-1000000000000', 'PAY-999999999999999', 'PAY-1000000000000000'],
    ...['PAY-2147483648', 'PAY-0', 'PAY-01', 'PAY-', '-1', 'P-1', 'ABCDEFGHIJ-1', 'ABCDEFGHIJK-1', ' PAY-1', 'PAY-1\n'],
    ...['PAY1', 'PÄY-1', 'ＰＡＹ-1', 'PAY-१', 'ıPAY-1', 'ſPAY-1', 'PAY-1\0'],
  ],
  [' PA ', 'PA', 'P', '1A', 'ABCDEFGHIJ', 'ABCDEFGHIJK', 'P-Y', 'PÄY', 'ＰＡＹ', 'PA\0', 'P A'],
  ['#000000', '#FFFFFF', '#12345', '#1234567', '#gggggg', '123456', '#000000\n'],
];

const fits = (pattern: string, text = '') => new RegExp(pattern, 'u').test(text);
const firstOf = (kind: readonly string[]) => kind[0];
/** The spellings of the kind that a pattern is of; undefined for one that takes nearly every text. */
const alikeOf = (pattern: string) => {
  const taken = spellings.filter((kind) => fits(pattern, firstOf(kind)));
  return taken.length === 1 ? taken[0] : undefined;
};

const textual = ({ format, pattern, ...schema }: Schema): unknown[] => {
  if (format === 'uuid') return [...uuids, ''];
  if (format === 'date-time') return [...times, ''];
  if (format === 'uri') return urls;
  const alike = pattern === undefined ? undefined : alikeOf(pattern);
  if (!alike) return textsOf(schema);
  const { maxLength = 4_999 } = schema;
  return [...alike, '', 'a'.repeat(maxLength), 'a'.repeat(maxLength + 1)];
};

/** Distinct items of a list, as many as are asked for. */
export const itemsOf = (schema: Schema, count: number): unknown[] => {
  const { format, pattern, enum: values, anyOf } = resolved(schema);
  return Array.from({ length: count }, (_, at) => {
    if (values) return values[at % values.length];
    if (format === 'uuid' || anyOf) return randomUUID();
    return pattern ? `PAY-${at + 1}` : String(at);
  });
};

const lists = (schema: Schema): unknown[] => {
  const { items = {}, minItems = 0, maxItems } = schema;
  const [one] = itemsOf(items, 1);
  // Those of objects are made of the objects themselves.
  if (resolved(items).type === 'object') return [[], [null], ['text'], {}, 'text', null];
  return [
    ...[[], [one, one], [null], [[]], [one, null], { 0: one, length: 1 }, ...ofAnyType],
    ...(minItems > 1 ? [itemsOf(items, minItems - 1)] : []),
    ...(maxItems === undefined ? [] : [itemsOf(items, maxItems), itemsOf(items, maxItems + 1)]),
    ...boundaryValues(items).map((item) => [item]),
  ];
};

/** JSON values on both sides of every bound that a schema has, and of those that columns have. */
export const boundaryValues = (schema: Schema): unknown[] => {
  const { type, anyOf, enum: values, ...own } = resolved(schema);
  if (anyOf) return anyOf.flatMap(boundaryValues);
  const constant = 'const' in own ? [own.const] : [];
  if (values) return [...values, `${values[0]}`.toUpperCase(), `${values[0]} `, 'unknown', '', 'a\0', ...ofAnyType];
  if (type === 'number' || type === 'integer') return [...numbersOf(own), ...ofAnyType];
  if (type === 'string') return [...constant, ...textual(own), ...ofAnyType.filter((one) => one !== 'text')];
  if (type === 'boolean') return [...constant, true, false, 0, 1, 'true', null, [], {}];
  if (type === 'array') return lists(own);
  return ofAnyType;
};
