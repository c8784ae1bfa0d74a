import { CardinalError } from '@cardinal/contracts';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { fieldIssues, issuesInWords } from '../http/field-issues.ts';

const compile: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  // Path and query are parsed before the body is read; headers have rules of their own.
  if (httpPart !== 'body') return (value: unknown) => ({ value });
  return (value: unknown) => {
    const result = schema.safeParse(value ?? undefined);
    if (result.success) return { value: result.data };
    const issues = fieldIssues(result.error);
    return { error: new CardinalError('validation_error', issuesInWords(issues), issues) };
  };
};

/**
 * Checks bodies with the endpoint's zod schema, 422 with every broken field. Replies were parsed when they came from
 * the bus, so they are only written out: checking them again costs more than the whole rest of a read.
 */
export const bodyRules = (api: FastifyInstance): void => {
  api.setValidatorCompiler(compile);
  api.setSerializerCompiler(() => JSON.stringify);
};
