import { cardIdOrIdentifier, type HttpOperation } from '@cardinal/contracts';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Argument, argumentsIn } from './calls.ts';

export type JsonSchema = Record<string, unknown>;

/** An answer's schema with more characters says of its items only that they are objects: every list of tools carries it. */
const maxSchemaCharacters = 8_000;

const tidied =
  (io: 'input' | 'output') =>
  ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    delete jsonSchema.id;
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    // A later release answers more, and texts may be cut.
    if (io === 'output')
      for (const name of ['additionalProperties', 'examples', 'format'] as const) delete jsonSchema[name];
  };

export const jsonSchemaOf = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema, ...json } = z.toJSONSchema(schema, { io, override: tidied(io) });
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
    all.set(name, { ...argument, schema: isCardOfBody ? asCardName(schema) : isLimit ? limit : schema });
  }
  return all;
};

/** What a tool takes, as JSON Schema. @param emptiable the fields that it can empty */
export const inputSchemaOf = (all: Map<string, Argument>, emptiable: readonly string[]): JsonSchema => {
  const fields = Object.fromEntries([...all].map(([name, { schema }]) => [name, schema]));
  const clear = z.array(z.enum(emptiable)).optional().describe('What is to be emptied: null and "" change nothing.');
  return jsonSchemaOf(z.strictObject({ ...fields, ...(emptiable.length > 0 ? { clear } : {}) }), 'input');
};

const notes: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'What to know of this answer: what was read first, cut or left out.',
};

const anything = { description: 'What the operation answers; null for nothing.' };

/** An answer, as JSON Schema. */
export const answerSchema = (properties: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  type: 'object',
  properties: { ...properties, notes },
  required: [...required, 'notes'],
});

/** What any operation answers. */
export const anyAnswer = answerSchema({ data: anything, page: { type: 'object' } }, ['data']);

interface Shape extends JsonSchema {
  properties?: Record<string, JsonSchema>;
  required?: string[];
  $defs?: Record<string, JsonSchema>;
}

/** What an operation answers, with the lists along with it. */
export const outputSchemaOf = ({ reply }: HttpOperation, along: [name: string, of: HttpOperation][]): JsonSchema => {
  if (!reply.body) return answerSchema({ data: { type: 'null' } }, ['data']);
  const fields: Record<string, z.ZodType> = { ...(reply.body as z.ZodObject<z.ZodRawShape>).shape } as Record<
    string,
    z.ZodType
  >;
  for (const [name, of] of along) fields[name] = (of.reply.body as z.ZodObject<{ data: z.ZodType }>).shape.data;
  const { properties = {}, required = [], $defs } = jsonSchemaOf(z.object(fields), 'output') as Shape;
  const whole = { ...answerSchema(properties, required), ...($defs ? { $defs } : {}) };
  if (JSON.stringify(whole).length <= maxSchemaCharacters) return whole;
  const { page } = properties;
  const items = { type: 'array', items: { type: 'object' }, description: properties.data?.description };
  return {
    ...answerSchema({ data: items, ...(page ? { page } : {}) }, required),
    ...($defs?.Page ? { $defs: { Page: $defs.Page } } : {}),
  };
};
