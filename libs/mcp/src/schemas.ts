import { cardIdOrIdentifier, type HttpOperation } from '@cardinal/contracts';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Argument, argumentsIn } from './calls.ts';
import { asPersonName, isUserField } from './people.ts';

export type JsonSchema = Record<string, unknown>;

interface Node {
  anyOf?: JsonSchema[];
  description?: string;
  [keyword: string]: unknown;
}

/** Removes null from schemas: in a tool null means not set, and `clear` empties. */
export const withoutNull = (text: string): string =>
  text
    .split(/(?<=[.;]) /)
    .filter((clause) => !/^null /i.test(clause))
    .join(' ')
    .replace(/;$/, '.');

const isPlainText = ({ type, enum: words, const: word }: JsonSchema) => type === 'string' && !words && !word;

/** Replaces alternatives: by the list, where several values may be given; by the text, for an id or a name. */
const oneFor = (alternatives: JsonSchema[]): JsonSchema | undefined => {
  const set = alternatives.filter(({ type }) => type !== 'null');
  if (set.length === 1) return set[0];
  return set.find(({ type }) => type === 'array') ?? (set.every(isPlainText) ? { type: 'string' } : undefined);
};

/** Keywords that models ignore, or whose breach the API explains itself. */
const unread = ['id', 'minItems', 'maxItems', 'pattern'];

/** Reduces a schema to what a model needs: every conversation pays for it. */
const shorten = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
  const node = jsonSchema as Node;
  for (const name of unread) delete node[name];
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (node.format === 'uuid' || node.type === 'boolean') delete node.examples;
  if (node.description !== undefined) node.description = withoutNull(node.description);
  const one = node.anyOf && oneFor(node.anyOf);
  if (!one) return;
  delete node.anyOf;
  if (one.type === 'string') delete node.examples;
  Object.assign(node, { ...one, ...node });
};

const complete = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
  delete jsonSchema.id;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
};

/** The input as JSON Schema: complete, or, for the list of tools, what a model needs. */
export const jsonSchemaOf = (schema: z.ZodType, { isShort = false } = {}): JsonSchema => {
  const { $schema, ...json } = z.toJSONSchema(schema, { io: 'input', override: isShort ? shorten : complete });
  return json;
};

/**
 * A schema that is shown and checks nothing: the API checks what it is sent, and its refusals say more.
 */
export const shown = (json: JsonSchema): StandardSchemaWithJSON<Record<string, unknown>> => ({
  '~standard': {
    version: 1,
    vendor: 'cardinal',
    validate: (value) => ({ value: value as Record<string, unknown> }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

/** A card is named by any identifier, so its argument is `card` and not `card_id`. */
const argumentName = (field: string) => field.replace(/((?:^|_)card)_id$/, '$1');

/** Items of a page where none are asked for. */
export const usualLimit = 25;

const limit = z
  .int()
  .min(1)
  .max(100)
  .default(usualLimit)
  .describe('Most items of a page; it ends where it gets too long');

const asCardName = (schema: z.ZodType) =>
  cardIdOrIdentifier.optional().describe(`${schema.description ?? 'A card.'} Its id, or any identifier of it.`);

/**
 * The arguments of an operation under the names that a tool has for them.
 * @throws Error where two would have one name
 */
export const argumentsOf = (operation: HttpOperation): Map<string, Argument> => {
  const all = new Map<string, Argument>();
  for (const argument of argumentsIn(operation)) {
    const { part, field, schema, isCardOfBody } = argument;
    const name = argumentName(field);
    if (all.has(name)) throw new Error(`${operation.id} has two arguments ${name}`);
    const isLimit = part === 'query' && field === 'limit';
    const named = isUserField(field) ? asPersonName(schema) : schema;
    all.set(name, { ...argument, schema: isCardOfBody ? asCardName(schema) : isLimit ? limit : named });
  }
  return all;
};

/** The input of a tool as JSON Schema. @param emptiable the fields that it can empty */
export const inputSchemaOf = (all: Map<string, Argument>, emptiable: readonly string[]): JsonSchema => {
  const fields = Object.fromEntries([...all].map(([name, { schema }]) => [name, schema]));
  const clear = z.array(z.enum(emptiable)).optional().describe('What is to be emptied: null and "" change nothing.');
  return jsonSchemaOf(z.strictObject({ ...fields, ...(emptiable.length > 0 ? { clear } : {}) }), { isShort: true });
};
