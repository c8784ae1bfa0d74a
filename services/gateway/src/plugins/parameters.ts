import { CardinalError } from '@cardinal/contracts';
import type { onRequestHookHandler } from 'fastify';
import type { z } from 'zod';
import { fieldIssues, issuesInWords } from '../http/field-issues.ts';

const parsed = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> => {
  const result = schema.safeParse(value);
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
