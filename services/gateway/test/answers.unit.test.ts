import { maxReferencesBytes } from '@cardinal/contracts';
import { expect, it } from 'vitest';
import document from '../openapi.json' with { type: 'json' };

/** The bounds of length in a schema of an answer. */
interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
  maxLength?: number;
  maxProperties?: number;
  propertyNames?: Schema;
  additionalProperties?: Schema;
}

const { schemas } = document.components as unknown as { schemas: Record<string, Schema> };

/** Bytes of the longest number in JSON: `-2.2250738585072014e-308`. */
const numberBytes = 24;
/** An escaped character takes six bytes in JSON (`\u0001`); no character takes more in UTF-8. */
const characterBytes = 6;
/** The most characters of each format; signed URLs are made here. */
const formats: Record<string, number> = { uuid: 36, 'date-time': 24, uri: 2_048 };

const lengthOf = ({ format, maxLength = formats[format ?? ''] }: Schema, path: string): number => {
  if (maxLength === undefined) throw new Error(`${path}: nothing says how long the text can be`);
  return 2 + maxLength * (format === 'uuid' || format === 'date-time' ? 1 : characterBytes);
};
const bound = (most: number | undefined, path: string): number => {
  if (most === undefined) throw new Error(`${path}: nothing says how many there can be`);
  return most;
};
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Bytes of the largest value of a schema, as JSON. @throws Error where nothing bounds it */
const largest = (schema: Schema, path: string): number => {
  const { $ref, type, anyOf = [], oneOf = [], items, properties, additionalProperties } = schema;
  if ($ref) return largest(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, path);
  const either = [...anyOf, ...oneOf];
  if (either.length > 0) return Math.max(...either.map((one) => largest(one, path)));
  if ('const' in schema) return bytesOf(schema.const);
  if (schema.enum) return Math.max(...schema.enum.map(bytesOf));
  if (type === 'string') return lengthOf(schema, path);
  if (type === 'array') return 2 + bound(schema.maxItems, path) * (1 + largest(items ?? {}, `${path}[]`));
  // It repeats names of the request, whose body has at most 1 MiB.
  if (properties?.code && properties.message) return 0;
  if (properties) {
    const fields = Object.entries(properties);
    return 1 + fields.reduce((sum, [name, one]) => sum + bytesOf(name) + 2 + largest(one, `${path}.${name}`), 0);
  }
  if (additionalProperties) {
    const name = lengthOf(schema.propertyNames ?? {}, path);
    return 2 + bound(schema.maxProperties, path) * (name + 2 + largest(additionalProperties, `${path}.*`));
  }
  const known = { null: 4, boolean: 5, integer: numberBytes, number: numberBytes, object: 2 }[type ?? ''];
  if (known === undefined) throw new Error(`${path}: nothing says what it is`);
  return known;
};

/** A page ends before it, with its envelope (libs/runtime, `pageBytes`). */
const pageBytes = 2 ** 20;
/** Refused above it. */
const refusedAbove: Record<string, number> = { resolveIdentifiers: maxReferencesBytes };

interface Answer {
  content?: Record<string, { schema: Schema }>;
}
interface Described {
  operationId: string;
  responses: Record<string, Answer>;
}
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods)) as unknown as Described[];

/** Bytes of an operation's largest answer, with the rule that bounds it, or the part without a bound. */
const lineOf = ({ operationId, responses }: Described): string => {
  const { content = {} } = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1] ?? {};
  const [schema] = Object.values(content).map((one) => one.schema);
  if (!schema) return `${operationId} 0`;
  try {
    const { page, data } = schema.properties ?? {};
    const bytes = Math.min(largest(schema, operationId), refusedAbove[operationId] ?? Number.POSITIVE_INFINITY);
    if (!page || bytes <= pageBytes) return `${operationId} ${bytes}`;
    const item = largest(data?.items ?? {}, operationId);
    return `${operationId} ${pageBytes}, a page of items of up to ${item}`;
  } catch (error) {
    return `${operationId}: ${(error as Error).message}`;
  }
};

it('the largest answer of every operation is the recorded one', async () => {
  const text = `${operations.map(lineOf).sort().join('\n')}\n`;
  await expect(text).toMatchFileSnapshot('golden/answer-bytes.txt');
});
