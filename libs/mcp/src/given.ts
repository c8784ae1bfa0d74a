import { z } from 'zod';

/*
 * How clients fill in arguments: null for missing ones (OpenAI in its strict mode, Pydantic), an empty text or list (Claude,
 * Gemini), numbers, flags and lists as texts (Cursor, Gemini).
 */

/** Whether a value says nothing, so that an optional argument with it is not set (CONTRACT 11.2). */
export const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const isOptional = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;

const jsonIn = (text: string, begin: '[' | '{'): unknown => {
  if (!text.trimStart().startsWith(begin)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const ofArray = (element: z.ZodType, value: unknown): unknown => {
  const list = typeof value === 'string' ? jsonIn(value, '[') : value;
  // A single value stands for a list of one.
  if (!Array.isArray(list)) return isUnset(list) ? list : [meant(element, list)];
  return list.filter((one) => !isUnset(one)).map((one) => meant(element, one));
};

const ofObject = (shape: Record<string, z.ZodType>, value: unknown): unknown => {
  const object = typeof value === 'string' ? jsonIn(value, '{') : value;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object;
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, one]): [string, unknown][] => {
      // A proxy of every object has more names than its own.
      const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (schema === undefined) return [[name, one]];
      return isUnset(one) && isOptional(schema) ? [] : [[name, meant(schema, one)]];
    }),
  );
};

const ofUnion = (options: readonly z.ZodType[], value: unknown): unknown => {
  const list = options.find((one) => one instanceof z.ZodArray);
  if (list && (Array.isArray(value) || (typeof value === 'string' && value.trimStart().startsWith('['))))
    return meant(list, value);
  const fitting = options.find((one) => one.safeParse(meant(one, value)).success);
  return fitting ? meant(fitting, value) : value;
};

const number = /^-?\d+(\.\d+)?$/;
const flags = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Converts a value to its schema: texts to numbers, flags, lists and objects. It removes optional members that are not set.
 * A value that fits no schema stays unchanged, for the API to refuse.
 */
export const meant = (schema: z.ZodType, value: unknown): unknown => {
  if (schema instanceof z.ZodPipe)
    return meant((schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType, value);
  if ('unwrap' in schema && !(schema instanceof z.ZodArray))
    return value === null ? value : meant((schema as z.ZodOptional<z.ZodType>).unwrap(), value);
  if (schema instanceof z.ZodArray) return ofArray(schema.element as z.ZodType, value);
  if (schema instanceof z.ZodObject) return ofObject(schema.shape, value);
  if (schema instanceof z.ZodRecord) return typeof value === 'string' ? jsonIn(value, '{') : value;
  if (schema instanceof z.ZodUnion) return ofUnion(schema.options as z.ZodType[], value);
  if (schema instanceof z.ZodString && typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (schema instanceof z.ZodNumber) return number.test(text) ? Number(text) : value;
  if (schema instanceof z.ZodBoolean) return flags.get(text.toLowerCase()) ?? value;
  return value;
};

/** Arguments that hosts add for their own use: Cursor, Gemini's command line, n8n. */
export const ofHosts: ReadonlySet<string> = new Set([
  ...['_meta', 'random_string', 'wait_for_previous', 'toolCallId', 'sessionId', 'chatInput', 'action', 'tool'],
]);
