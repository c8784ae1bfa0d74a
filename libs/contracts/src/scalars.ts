import { z } from 'zod';

const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** A resource id in any letter case; the parsed one is in lower case. */
export const uuid = z
  .guid()
  .toLowerCase()
  .meta({ format: 'uuid', examples: ['0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b'] });

/** The time of creation in a UUIDv7, whose first 48 bits are milliseconds (RFC 9562, 5.7). */
export const timeOf = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16));

const rfc3339 = z.regexes.datetime({ offset: true });

/**
 * Makes a time readable for Date. `t` and `z` may be in lower case (RFC 3339 5.6). Neither JavaScript nor Postgres has
 * leap seconds: one at the end of a month in UTC (5.7) becomes the next second, as in Postgres.
 */
const readable = (value: string) => {
  const upper = value.toUpperCase();
  if (!upper.includes(':60')) return upper;
  const before = upper.replace(/(T\d\d:\d\d:)60/, '$159');
  const after = new Date(Date.parse(before) + 1000);
  return rfc3339.test(before) && /-01T00:00:00\.\d+Z$/.test(after.toISOString()) ? after.toISOString() : upper;
};

/** A time, RFC 3339, with any offset; the parsed one is in UTC with milliseconds. */
export const timestamp = z
  .string()
  .overwrite(readable)
  .check(
    z.iso.datetime({ offset: true, error: 'must be an RFC 3339 date-time, such as 2030-01-31T17:00:00Z', abort: true }),
  )
  .refine((value) => Date.parse(value) >= earliest && Date.parse(value) <= latest, {
    error: 'must lie in the years 1 to 9999',
    abort: true,
  })
  .overwrite((value) => new Date(value).toISOString())
  .meta({ examples: ['2030-01-31T17:00:00.000Z'] });

/** A whole number from 1 on that fits a column of type `integer` (PostgreSQL manual, 8.1.1). */
export const ordinal = z.int().min(1).max(2_147_483_647);

/** The version of a resource, which is its ETag; at least 1. */
export const version = ordinal.meta({
  description: 'Number of its state, which rises with every change; its `ETag`.',
  examples: [3],
});

interface TextBounds {
  min?: 0 | 1;
  max: number;
}

const codePoints = (value: string) => {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
};

const bounded = (schema: z.ZodString, { min = 0, max }: TextBounds) =>
  schema
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode')
    .refine((value) => !value.includes('\0'), 'must not contain NUL')
    .refine((value) => value.length >= min, 'must not be empty')
    .refine((value) => codePoints(value) <= max, `must have at most ${max} characters`)
    .meta({ minLength: min, maxLength: max });

/** Well-formed Unicode without NUL, unchanged. Lengths count code points. */
export const text = (bounds: TextBounds) => bounded(z.string(), bounds);

/** A name or title: like `text`, trimmed, and not empty after that. */
export const trimmedText = (max: number) => bounded(z.string().trim(), { min: 1, max }).meta({ pattern: '\\S' });

/** Selects among archived and active ones in a list. */
export const archived = z.boolean().default(false).describe('true: only what is archived; false: only what is active');

/** Selects what has a name, in a list (CONTRACT 6.1). */
export const named = trimmedText(120).optional().describe('Only with this name, in any letter case');

/** Most values of one filter. */
const maxValues = 100;

/**
 * A filter that may be repeated; any of its values matches. Equal requests parse alike: each value once, in order, and
 * a single value as itself, which the release before accepts too.
 */
export const anyOf = <Value extends z.ZodType<string>>(value: Value) => {
  const several = z.array(value).min(1).max(maxValues);
  const either = z.union([value, several], {
    error: ({ input, errors }) => errors[Array.isArray(input) ? 1 : 0]?.[0]?.message,
  });
  return either.overwrite((given): z.output<typeof either> => {
    const [first, ...others] = [...new Set([given].flat() as z.output<Value>[])].sort();
    return first !== undefined && others.length > 0 ? [first, ...others] : (first as typeof given);
  });
};

/**
 * A text in an answer. It is not checked again, as its owner accepted no longer one.
 * @param max most code points
 */
export const shown = (max: number) => z.string().meta({ maxLength: max });

/** A list in an answer, likewise. */
export const atMost = <Item extends z.ZodType>(max: number, item: Item) => z.array(item).meta({ maxItems: max });

/** A schema with its description in the document, and an example where its type has no good one. */
export const doc = <Schema extends z.ZodType>(schema: Schema, description: string, example?: unknown): Schema =>
  schema.meta({ description, ...(example === undefined ? {} : { examples: [example] }) });

/** The times of every resource. */
export const times = {
  created_at: doc(timestamp, 'When it was created.', '2030-01-02T09:30:00.000Z'),
  updated_at: doc(timestamp, 'When it was changed last.', '2030-01-03T14:05:00.000Z'),
};
export const createdBy = doc(uuid, 'The user who created it.');
export const archivedAt = doc(timestamp.nullable(), 'When it was archived; null while it is active.', null);

/** The first fields of resources that are written under `If-Match`. */
export const head = <Type extends string>(type: Type) => ({
  id: doc(uuid, 'Its id.'),
  type: doc(z.literal(type), 'What kind of resource it is.'),
  version,
});

/** A body that changes at least one field. */
export const someOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(shape)
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
    .meta({ minProperties: 1 });

/** A place among siblings. */
export const position = doc(
  z.union([z.number(), z.enum(['start', 'end'])]),
  'A number between those of its neighbors, or `start` or `end`.',
  'end',
);

/** A body that names a place among siblings in at most one of three ways. */
export const oneOfThree = <Schema extends z.ZodType<object>>(
  schema: Schema,
  names: readonly [string, string, string],
) => {
  const [a, b, c] = names;
  const anyOf = names.map((one) => ({ required: names.filter((name) => name !== one) })).reverse();
  return schema
    .refine(
      (body) => names.filter((name) => (body as Record<string, unknown>)[name] !== undefined).length <= 1,
      `must name at most one of ${a}, ${b} and ${c}`,
    )
    .meta({ minProperties: 1, not: { anyOf } });
};

/** The rule for an `Idempotency-Key` (CONTRACT 3.4), and its words in an error. */
export const idempotencyKeyRule = {
  pattern: /^[\x21-\x7e]{1,255}$/,
  words: 'must be 1 to 255 visible ASCII characters',
};
