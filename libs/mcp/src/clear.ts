import { z } from 'zod';
import { isUnset, meant } from './given.ts';
import { Refusal } from './refusals.ts';

/** The empty value of a field; undefined where it cannot be emptied. */
const emptyOf = (schema: z.ZodType): null | '' | undefined => {
  if (!schema.safeParse(undefined).success) return undefined;
  if (schema.safeParse(null).success) return null;
  return schema.safeParse('').success ? '' : undefined;
};

/** The fields of a body that can be emptied. */
export const clearable = (shape: Readonly<Record<string, z.ZodType>>): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => (emptyOf(schema) === undefined ? [] : [name]));

const objectIn = (schema: z.ZodType | undefined): z.ZodObject | undefined => {
  if (schema instanceof z.ZodObject) return schema;
  return schema !== undefined && 'unwrap' in schema
    ? objectIn((schema as z.ZodOptional<z.ZodType>).unwrap())
    : undefined;
};

const refused = (message: string) => new Refusal('invalid_request', message);

const withEmptied = (
  schema: z.ZodType | undefined,
  body: Record<string, unknown>,
  path: string,
): Record<string, unknown> => {
  const object = objectIn(schema);
  const [name = '', ...rest] = path.split('.');
  const field = object && Object.hasOwn(object.shape, name) ? (object.shape[name] as z.ZodType) : undefined;
  if (rest.length > 0 && field) {
    const inner = body[name];
    const held = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
    return { ...body, [name]: withEmptied(field, held, rest.join('.')) };
  }
  const empty = field && emptyOf(field);
  if (empty === undefined) {
    const names = object ? clearable(object.shape) : [];
    throw refused(
      `clear: ${name} cannot be emptied; ${names.length > 0 ? `what can: ${names.join(', ')}` : 'nothing here can'}`,
    );
  }
  if (!isUnset(body[name])) throw refused(`clear: ${name} is given a value too; do one of the two`);
  return { ...body, [name]: empty };
};

/**
 * A body whose fields that `clear` names are emptied (CONTRACT 11.2).
 * @param clear names of fields, those of an inner object behind a dot: `patch.description`
 * @throws Refusal for what cannot be emptied, or has a value too
 */
export const withCleared = (
  schema: z.ZodType | undefined,
  body: Record<string, unknown>,
  clear: readonly string[],
): Record<string, unknown> => clear.reduce((one, path) => withEmptied(schema, one, path), body);

/** The note in the answer. */
export const notesOfCleared = (clear: readonly string[]): string[] =>
  clear.length > 0 ? [`Emptied: ${clear.join(', ')}.`] : [];

/** Names of fields. */
export const clearNames = z.array(z.string());

/** What an argument `clear` names. @throws Refusal where it is no list of names */
export const clearedBy = (value: unknown): string[] => {
  const { success, data } = clearNames.safeParse(meant(clearNames, value) ?? []);
  if (success) return data;
  throw refused('clear: must be a list of fields');
};
