import { randomUUID } from 'node:crypto';
import type { Body } from '../workspace.ts';
import { allows, resolved, type Schema } from './schemas.ts';
import { boundaryValues, itemsOf } from './values.ts';

/** The path of a field in a body: names of fields, and positions in lists. */
export type Path = readonly (string | number)[];

/** A valid value for a field that the sample of a body leaves out. */
export type Sampler = (field: string, schema: Schema) => unknown;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const valueAt = (body: unknown, path: Path): unknown =>
  path.reduce((part, name) => (part as Record<string, unknown> | undefined)?.[name as string], body);

/** The body with another value at a path; without the field where that is undefined. */
export const withValue = (body: unknown, [name, ...rest]: Path, value: unknown): Body => {
  if (name === undefined) return value;
  if (Array.isArray(body)) return body.with(Number(name), withValue(body[Number(name)], rest, value));
  return { ...(body as object), [name]: withValue((body as Body)?.[name], rest, value) };
};

/** The parts of a schema that hold fields: those of an object and of the items of a list. */
const fieldsOf = (schema: Schema): [name: string | number, Schema][] => {
  const { properties = {}, items, anyOf = [] } = resolved(schema);
  if (items && resolved(items).type === 'object') return [[0, items]];
  return [...Object.entries(properties), ...anyOf.flatMap(fieldsOf)];
};

/** Every field of a body, however deep, with its schema. */
export const fieldsIn = (schema: Schema, path: Path = []): { path: Path; schema: Schema }[] =>
  fieldsOf(schema).flatMap(([name, field]) => [
    { path: [...path, name], schema: field },
    ...fieldsIn(field, [...path, name]),
  ]);

/** A valid object with its required fields alone, or with its first field where it needs some field. */
const leastOf = (schema: Schema, sample: Sampler): Body => {
  const { properties = {}, required = [], minProperties = 0 } = resolved(schema);
  const names = required.length < minProperties ? Object.keys(properties).slice(0, minProperties) : required;
  return Object.fromEntries(names.map((name) => [name, sample(name, resolved(properties[name] ?? {}))]));
};

/** The sample with the fields along a path added; fields that exclude them are removed. */
export const bodyWith = (whole: Schema, sample: Body, path: Path, sampler: Sampler): Body => {
  let [body, schema] = [sample, whole];
  for (const [depth, name] of path.entries()) {
    const way = path.slice(0, depth + 1);
    const parent = schema;
    schema = resolved(fieldsOf(schema).find(([one]) => one === name)?.[1] ?? {});
    if (valueAt(body, way) !== undefined) continue;
    const value = schema.type === 'object' ? leastOf(schema, sampler) : sampler(String(name), schema);
    const filled = withValue(body, way, value);
    const own = { ...requiredAt(body, way, parent), [name]: value };
    body = allows(whole, filled) ? filled : withValue(body, way.slice(0, -1), own);
  }
  return body;
};

const requiredAt = (body: Body, way: Path, { required = [] }: Schema) => {
  const own = valueAt(body, way.slice(0, -1));
  return isObject(own) ? Object.fromEntries(required.map((name) => [name, own[name]])) : {};
};

/** The values of a field: its boundary values; for a list of objects also every length, and objects with an unknown field. */
export const valuesAt = (schema: Schema, given: unknown): unknown[] => {
  const { items, maxItems, type } = resolved(schema);
  const own = boundaryValues(schema);
  if (isObject(given) || type === 'object') return [...own, given, { ...(given as object), surprise: 1 }, undefined];
  if (!items || resolved(items).type !== 'object' || maxItems === undefined) return [...own, undefined];
  const [first] = given as Body[];
  const many = (count: number) => Array.from({ length: count }, (_, at) => numbered(first, at));
  return [...own, many(maxItems), many(maxItems + 1), undefined];
};

/** Another object of the same kind, with another name. */
const numbered = (one: Body, at: number): Body => ({
  ...one,
  ...(typeof one.number === 'number' && { number: one.number + at, former: [] }),
  ...(one.card !== undefined && { card: at === 0 ? one.card : randomUUID() }),
});

/** A valid value by the schema alone. */
export const anyValue = (schema: Schema): unknown => {
  const { examples, default: usual, enum: values, type, anyOf, items, format } = resolved(schema);
  if ('const' in schema) return schema.const;
  if (format === 'uuid') return randomUUID();
  if (type === 'array' && items) return examples?.[0] ?? itemsOf(items, 1);
  const known = examples?.find((one) => one !== null) ?? usual ?? values?.[0];
  if (known !== undefined) return known;
  if (anyOf?.[0]) return anyValue(anyOf[0]);
  return { integer: schema.minimum ?? 1, number: 1, boolean: true, object: {} }[String(type)] ?? 'text';
};
