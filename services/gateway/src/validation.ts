import { CardinalError, type FieldIssue } from '@cardinal/contracts';
import type { FastifyInstance, FastifySchemaCompiler, onRequestHookHandler } from 'fastify';
import type { z } from 'zod';

const types: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const formats: Record<string, string> = {
  guid: 'must be a UUID',
  uuid: 'must be a UUID',
  url: 'must be a URL',
  datetime: 'must be an RFC 3339 date-time',
};

const units: Record<string, string> = { string: ' characters', array: ' items' };

/** `a, b or c` */
const either = (words: string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** What a rule wants; a schema's own words go before these. Of every kind of issue something is said, in our words. */
export const inWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${types[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${either(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'invalid_format':
      return formats[issue.format] ?? 'has the wrong form';
    case 'too_small':
      return `must ${units[issue.origin] ? 'have' : 'be'} at least ${issue.minimum}${units[issue.origin] ?? ''}`;
    case 'too_big':
      return `must ${units[issue.origin] ? 'have' : 'be'} at most ${issue.maximum}${units[issue.origin] ?? ''}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'unknown field';
    case 'invalid_union':
      return issue.errors.length === 0
        ? 'is of no kind that is allowed'
        : `must be ${either(issue.errors.flatMap(([first]) => first?.message.replace(/^must be /, '').split(/, | or /) ?? []))}`;
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues[0]?.message ?? 'is not allowed';
    case 'custom':
      return 'is not allowed';
  }
};

/** A body can break a rule in more places than anyone reads. */
const most = 50;

/** A field's name can be as long as the body: its first 100 characters tell which it is. */
const cut = (key: string) => Array.from(key.slice(0, 200).toWellFormed()).slice(0, 100).join('');

/** What zod found, as the `details` of an error: an entry for each broken or unknown field, 50 at most. */
export const fieldIssues = (error: z.core.$ZodError): FieldIssue[] =>
  error.issues
    .flatMap((issue): FieldIssue[] => {
      const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
      if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
      return issue.keys.slice(0, most).map((key) => ({ path: [...path, cut(key)], message: 'unknown field' }));
    })
    .slice(0, most);

/** The same in one line. */
export const issuesInWords = (issues: FieldIssue[]): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');

const parsed = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  const result = schema.safeParse(value, { error: inWords });
  if (result.success) return result.data;
  throw new CardinalError('invalid_request', issuesInWords(fieldIssues(result.error)));
};

/** Parses path and query before the body is read: what is wrong there is 400, in the body it is 422. */
export const parseParameters =
  (schemas: { params: z.ZodType; query: z.ZodType }): onRequestHookHandler =>
  (request, _reply, done) => {
    request.params = parsed(schemas.params, request.params);
    request.query = parsed(schemas.query, request.query);
    done();
  };

const compile: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (value: unknown) => {
    const result = schema.safeParse(value ?? undefined, { error: inWords });
    if (result.success) return { value: result.data };
    const issues = fieldIssues(result.error);
    return { error: new CardinalError('validation_error', issuesInWords(issues), issues) };
  };

/** Checks bodies, the only part of a request whose schema the framework knows, with it: 422 with every broken field. */
export const bodyRules = (api: FastifyInstance): void => {
  api.setValidatorCompiler(compile);
};
