import { CardinalError, type FieldIssue } from '@cardinal/contracts';
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
  datetime: 'must be an RFC 3339 date-time, such as 2030-01-31T17:00:00Z',
};

const units: Record<string, string> = { string: ' characters', array: ' items' };

/** A hint for clients who send an identifier where an id is expected. */
const byIdentifier = (format: string, input: unknown): string =>
  /^g?uu?id$/.test(format) && typeof input === 'string' && /^[a-z][a-z0-9]{0,9}-[1-9]\d{0,9}$/i.test(input)
    ? `; the id of ${input} is in GET /cards/by-identifier/${input}`
    : '';

/** `a, b or c` */
const either = (words: string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** The message of a broken rule: the schema's own, else one by the kind of issue. */
export const inWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${types[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${either(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'invalid_format':
      return (formats[issue.format] ?? 'has the wrong form') + byIdentifier(issue.format, issue.input);
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

/** The most broken fields that an answer names. */
const most = 50;

/** A field's name can be as long as the body: its first 100 characters are enough to recognize it. */
const cut = (key: string) => Array.from(key.slice(0, 200).toWellFormed()).slice(0, 100).join('');

/** An entry for each broken or unknown field, 50 at most. */
const fieldIssues = (error: z.core.$ZodError): FieldIssue[] =>
  error.issues
    .flatMap((issue): FieldIssue[] => {
      const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
      if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
      return issue.keys.slice(0, most).map((key) => ({ path: [...path, cut(key)], message: 'unknown field' }));
    })
    .slice(0, most);

/** An error with all issues in a line; for a body, also in the `details`. */
export const brokenRules = (code: 'invalid_request' | 'validation_error', error: z.core.$ZodError): CardinalError => {
  const issues = fieldIssues(error);
  const words = issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
  return new CardinalError(code, words.join('; '), code === 'validation_error' ? issues : undefined);
};
