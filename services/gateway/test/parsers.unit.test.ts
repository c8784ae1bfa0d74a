import type { IncomingMessage } from 'node:http';
import * as contracts from '@cardinal/contracts';
import { newContext, requestIdOf } from '@cardinal/runtime';
import { slowTexts } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { fingerprintOf, parseIdempotencyKey } from '../src/idempotency.ts';
import { parseIfMatch, parseIfNoneMatch } from '../src/preconditions.ts';
import { bearerToken } from '../src/tokens/bearer.ts';
import { brokenRules } from '../src/validation.ts';

const requestWith = (headers: Record<string, string>) => ({ headers, rawHeaders: [] }) as unknown as IncomingMessage;

/** A schema, and the messages that a client gets for text that it refuses. */
const told = (schema: z.ZodType, inContext: (text: string) => unknown) => (text: string) => {
  const { error } = schema.safeParse(inContext(text));
  return error && brokenRules('validation_error', error).message;
};
const query = contracts.cardFilters.extend(contracts.pageQuery.shape);
const inQuery = (name: string) => told(query, (text) => ({ [name]: text }));
const inBody = (schema: z.ZodType, name: string) => told(schema, (text) => ({ [name]: text }));

const fields = new Map<string, Record<string, number>>();
/** As many fields as a text has characters, parsed once: the time of JSON.parse must not count. */
const fieldsOf = (text: string) => {
  const made = fields.get(text) ?? Object.fromEntries(Array.from(text, (unit, n) => [`${unit}${n}`, 1]));
  fields.set(text, made);
  return made;
};

/** Every parser of clients' text, with inputs that reach its loops. */
const parsers: [name: string, parse: (text: string) => unknown, starts?: string[]][] = [
  ['If-Match', parseIfMatch, ['', ',', '"', 'W/', '"1"', ', "1" ']],
  ['If-None-Match', parseIfNoneMatch, ['', ',', '"', 'W/', '"1"', '*']],
  ['Idempotency-Key', parseIdempotencyKey],
  ['X-Request-Id', (text) => requestIdOf(requestWith({ 'x-request-id': text }))],
  [
    'traceparent',
    (traceparent) => newContext({ traceparent, timeoutMs: 1 }),
    ['', '00-', `cc-${'a'.repeat(32)}-${'b'.repeat(16)}-01-`],
  ],
  ['Authorization', (authorization) => bearerToken(requestWith({ authorization })), ['', 'Bearer ', 'Bearer a']],
  ['an identifier', contracts.parseIdentifier, ['', 'A', 'AB-', 'AB-1']],
  ['a cursor', inQuery('cursor')],
  ['limit', inQuery('limit'), ['', '1', '-']],
  ['a flag', inQuery('archived'), ['', 'true']],
  ['a uuid', inQuery('column_id'), ['', v7()]],
  ['a time', inQuery('due_before'), ['', '2030-01-01', '2030-01-01T00:00:00.', '2030-01-01t00:00:00+']],
  ['q', inQuery('q'), ['', 'a']],
  ['the name of a parameter', told(query, (text) => ({ [text]: '' }))],
  ['a title', inBody(contracts.createCardBody, 'title'), ['', 'a']],
  ['a description', inBody(contracts.createCardBody, 'description')],
  ['a name', inBody(contracts.createWorkstreamBody, 'name'), ['', 'a']],
  ['a prefix', inBody(contracts.createWorkstreamBody, 'prefix'), ['', 'A']],
  ['a comment', inBody(contracts.createCommentBody, 'body'), ['', 'a']],
  ['a color', inBody(contracts.createLabelBody, 'color'), ['', '#']],
  ['the name of a field', told(contracts.createCardBody, (text) => ({ [text]: 1 }))],
  ['many names of fields', told(contracts.createCardBody, fieldsOf)],
  ['a body that counts', (text) => fingerprintOf({ method: 'POST', path: '/', ifMatch: undefined, body: { text } })],
  [
    'many fields that count',
    (text) => fingerprintOf({ method: 'POST', path: text, ifMatch: text, body: fieldsOf(text) }),
  ],
];

it.each(parsers)('%s takes time that grows with the length of its text', (_, parse, starts) => {
  expect(slowTexts(parse, starts)).toEqual([]);
});

it('a list of tags that could be read in two ways would be caught', () => {
  const member = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;
  const parse = (text: string) => {
    member.lastIndex = 0;
    while (member.exec(text)?.[0]);
  };
  // By blanks or by tabs: a busy machine can hide the one from the clock.
  expect(slowTexts(parse, [','])).not.toEqual([]);
});
