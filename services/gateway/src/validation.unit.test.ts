import { patchCardBody, position, timestamp, uuid } from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { brokenRules, inWords } from './validation.ts';

const said = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value, { error: inWords });
  return error && brokenRules('validation_error', error).message;
};

describe('what a broken rule says', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['a missing field', z.object({ title: z.string() }), {}, 'title: is required'],
    ['another type', z.object({ title: z.string() }), { title: 7 }, 'title: must be text'],
    ['no number', z.number(), 'a', 'must be a number'],
    ['no whole number', z.int(), 1.5, 'must be a whole number'],
    ['no flag', z.boolean(), 'yes', 'must be true or false'],
    ['no list', z.array(z.string()), 'a', 'must be a list'],
    ['no object', z.strictObject({}), 'a', 'must be an object'],
    ['an id', z.object({ card_id: uuid }), { card_id: '42' }, 'card_id: must be a UUID'],
    [
      "a card's identifier for its id",
      z.object({ card_id: uuid }),
      { card_id: 'main-1' },
      'card_id: must be a UUID; the id of main-1 is in GET /cards/by-identifier/main-1',
    ],
    ['a day for a moment', timestamp, '2030-01-31', 'must be an RFC 3339 date-time, such as 2030-01-31T17:00:00Z'],
    ['a URL', z.url(), 'a', 'must be a URL'],
    ['another format', z.string().regex(/^a$/), 'b', 'has the wrong form'],
    ['one value', z.literal('a'), 'b', 'must be "a"'],
    ['one of several', z.enum(['a', 'b', 'c']), 'd', 'must be "a", "b" or "c"'],
    ['too small a number', z.number().min(2), 1, 'must be at least 2'],
    ['too large a number', z.number().max(2), 3, 'must be at most 2'],
    ['too short a text', z.string().min(2), 'a', 'must have at least 2 characters'],
    ['too long a list', z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 items'],
    ['no multiple', z.number().multipleOf(5), 7, 'must be a multiple of 5'],
    ['an unknown field', z.strictObject({}), { color: 'red' }, 'color: unknown field'],
    ['none of several kinds', position, 'top', 'must be a number, "start" or "end"'],
    ['a wrong key', z.record(z.enum(['a']), z.string()), { b: 'b', a: 'a' }, 'b: unknown field'],
    ['a wrong key of a map', z.map(z.string(), z.string()), new Map([[1, 'a']]), '1: must be text'],
    ['a wrong entry of a map', z.map(z.object({}), z.string()), new Map([[{}, 1]]), 'must be text'],
    ['a rule without words', z.string().refine(() => false), 'a', 'is not allowed'],
    ['a body that changes nothing', patchCardBody, {}, 'must change at least one field'],
  ])('%s', (_, schema, value, words) => {
    expect(said(schema, value)).toBe(words);
  });
});
