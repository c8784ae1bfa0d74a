import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { UsageError } from '../errors.ts';

/** How a value is given on the command line, by its schema. */
export interface Shape {
  kind: 'flag' | 'number' | 'text' | 'json';
  /** Whether it may be given several times. */
  isList: boolean;
  /** Whether `null` clears it. */
  isNullable: boolean;
  isRequired: boolean;
  /** The words that it may be, where there are no others; of a flag, those beside true and false. */
  choices: readonly string[];
}

/** Reads an option that is a whole number. @throws InvalidArgumentError for another one, or none */
export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (given: string): number => {
    const number = Number(given);
    if (/^\d+$/.test(given) && number >= min && number <= max) return number;
    const most = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number from ${min}${most}.`);
  };

const text: Shape = { kind: 'text', isList: false, isNullable: false, isRequired: true, choices: [] };

const ofUnion = (schemas: readonly z.ZodType[]): Shape => {
  // What may be given several times may be given once.
  const list = schemas.find((one) => one instanceof z.ZodArray);
  if (list) return shapeOf(list);
  const shapes = schemas.map(shapeOf);
  const isFlag = shapes.some(({ kind }) => kind === 'flag');
  if (isFlag)
    return {
      ...text,
      kind: 'flag',
      choices: schemas.flatMap((one) => (one instanceof z.ZodLiteral ? [String(one.value)] : [])),
    };
  const isNumber = shapes.some(({ kind }) => kind === 'number');
  return { ...text, kind: isNumber ? 'number' : 'text' };
};

/** How a value of a schema is given on the command line. */
export const shapeOf = (schema: z.ZodType): Shape => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return { ...shapeOf(schema.unwrap() as z.ZodType), isRequired: false };
  if (schema instanceof z.ZodNullable) return { ...shapeOf(schema.unwrap() as z.ZodType), isNullable: true };
  if (schema instanceof z.ZodPipe) return shapeOf(schema.out as z.ZodType);
  if (schema instanceof z.ZodArray) {
    const element = shapeOf(schema.element as z.ZodType);
    return element.kind === 'json' ? { ...text, kind: 'json' } : { ...element, isList: true, isRequired: true };
  }
  if (schema instanceof z.ZodUnion) return ofUnion(schema.options as z.ZodType[]);
  if (schema instanceof z.ZodEnum) return { ...text, choices: schema.options.map(String) };
  if (schema instanceof z.ZodNumber) return { ...text, kind: 'number' };
  const isFlag = schema instanceof z.ZodBoolean || (schema instanceof z.ZodLiteral && schema.value === true);
  if (isFlag) return { ...text, kind: 'flag' };
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord ? { ...text, kind: 'json' } : text;
};

/** A text as JSON. @param label what to call it in the error @throws UsageError */
export const parseJson = (label: string, given: string): unknown => {
  try {
    return JSON.parse(given);
  } catch (error) {
    throw new UsageError(`${label}: must be JSON (${(error as Error).message})`);
  }
};

const oneOf = (label: string, { kind, isNullable }: Shape, given: string): unknown => {
  if (isNullable && given === 'null') return null;
  if (kind === 'json') return parseJson(label, given);
  return kind === 'number' && /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given;
};

/**
 * What was said on the command line, as a value.
 * @param given a text, several, or a flag
 * @param label what to call it in an error
 */
export const readValue = (label: string, shape: Shape, given: unknown): unknown => {
  if (!Array.isArray(given)) return typeof given === 'string' ? oneOf(label, shape, given) : given;
  if (shape.isNullable && given.length === 1 && given[0] === 'null') return null;
  return given.map((one: string) => oneOf(label, shape, one));
};

/** What a schema says against a value: the first thing, with where it is in the value; undefined for nothing. */
export const objectionTo = (
  schema: z.ZodType,
  value: unknown,
): { path: PropertyKey[]; message: string } | undefined => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && { path: issue.path, message: issue.message };
};
