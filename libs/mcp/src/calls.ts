export { type Api, type Call, idempotencyKey, type Outcome, perform } from './api.ts';
export { Refusal } from './refusals.ts';

import type { HttpOperation } from '@cardinal/contracts';
import { z } from 'zod';
import { type Call, idempotencyKey, version } from './api.ts';

/** One argument of an operation, and where it goes in the request. */
export interface Argument {
  part: 'params' | 'query' | 'body' | 'version' | 'key';
  field: string;
  schema: z.ZodType;
  /** A body's id of a card: the API takes no identifier there. */
  isCardOfBody: boolean;
}

/** The fields of a body. @throws Error where it is no object */
export const bodyShapeOf = (id: string, body: z.ZodType | undefined): Record<string, z.ZodType> => {
  if (body === undefined) return {};
  if (body instanceof z.ZodPrefault) return bodyShapeOf(id, body.unwrap() as z.ZodType);
  if (body instanceof z.ZodObject) return body.shape;
  throw new Error(`${id}: its body must be an object, so that its fields can be arguments`);
};

/** The arguments of an operation: those of its path, its query and its body, beside each other. */
export const argumentsIn = ({ id, params, query, body, requires }: HttpOperation): Argument[] => {
  const of = (part: Argument['part'], shape: object) =>
    Object.entries(shape).map(([field, schema]: [string, z.ZodType]) => ({
      part,
      field,
      schema,
      isCardOfBody: part === 'body' && /(?:^|_)card_id$/.test(field),
    }));
  return [
    ...of('params', params.shape),
    ...of('query', query.shape),
    ...of('body', bodyShapeOf(id, body)),
    ...of('version', requires.includes('If-Match') ? { version } : {}),
    ...of('key', requires.includes('Idempotency-Key') ? { idempotency_key: idempotencyKey } : {}),
  ];
};

/** Sorts the values of arguments into the parts of a request. */
export const callOf = (operation: HttpOperation, given: Iterable<readonly [Argument, unknown]>): Call => {
  const parts: Record<Argument['part'], Record<string, unknown>> = {
    params: {},
    query: {},
    body: {},
    version: {},
    key: {},
  };
  for (const [{ part, field }, value] of given) parts[part][field] = value;
  const { params, query, body, version: read, key: own } = parts;
  return {
    params,
    query,
    ...(operation.body ? { body } : {}),
    ...read,
    ...('idempotency_key' in own ? { key: own.idempotency_key } : {}),
  };
};
