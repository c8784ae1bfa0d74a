import { declaredOperations, type HttpOperation, tags } from '@cardinal/contracts';
import { z } from 'zod';
import { cutToSize } from './answers.ts';
import { idempotencyKey, version } from './api.ts';
import { clearNames, notesOfCleared, withCleared } from './clear.ts';
import { isUnset, meant, ofHosts } from './given.ts';
import { Refusal } from './refusals.ts';
import { jsonSchemaOf } from './schemas.ts';
import { answerTo, operationOf, resultOf, type Tool, withUsers } from './tools.ts';

const reading = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const operation = z.string().describe('The id of the operation, as `list_operations` has it: `createSubtask`');
const fields = z.record(z.string(), z.unknown()).optional();

/** Parses the arguments of clients. @throws Refusal for unknown or invalid ones */
const readBy = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, sent: Record<string, unknown>) => {
  const isArgument = ([name, value]: [string, unknown]) =>
    Object.hasOwn(schema.shape, name) || !(isUnset(value) || ofHosts.has(name));
  const { success, data, error } = schema.safeParse(
    meant(schema, Object.fromEntries(Object.entries(sent).filter(isArgument))),
  );
  if (success) return data;
  const words = error.issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  throw new Refusal('invalid_request', words.join('; '));
};

const listArguments = z.strictObject({
  tag: z
    .enum(Object.keys(tags) as [string, ...string[]])
    .optional()
    .describe('Only what stands under this heading'),
});

const listOperations: Tool = {
  name: 'list_operations',
  title: 'List everything that Cardinal can do',
  description:
    'Every operation of the API: those that have a tool of their own name it, all are called by `call_operation`.',
  annotations: reading,
  inputSchema: jsonSchemaOf(listArguments, { isShort: true }),
  call: (_api, sent) =>
    resultOf(async () => {
      const { tag } = readBy(listArguments, sent);
      const all = declaredOperations.map(({ http }) => http).filter((one) => tag === undefined || one.tag === tag);
      const data = all.map(({ id, summary, tag: under, scope, tool }) => ({
        operation: id,
        summary,
        tag: under,
        scope,
        ...(tool ? { tool: tool.name } : {}),
      }));
      return cutToSize({ data, notes: [] }).answer;
    }),
};

const partOf = (schema: z.ZodType | undefined) => (schema ? jsonSchemaOf(schema) : undefined);

const describedOf = (one: HttpOperation) => ({
  operation: one.id,
  method: one.method,
  path: one.path,
  summary: one.summary,
  scope: one.scope,
  ...(one.description ? { description: one.description } : {}),
  ...(one.tool ? { tool: one.tool.name } : {}),
  needs_version: one.requires.includes('If-Match'),
  params: partOf(one.params),
  query: partOf(one.query),
  ...(one.body ? { body: partOf(one.body), example: one.example } : {}),
});

const describeArguments = z.strictObject({ operation });

const describeOperation: Tool = {
  name: 'describe_operation',
  title: 'Describe an operation',
  description: 'What an operation does, and the schemas of its params, query and body for `call_operation`.',
  annotations: reading,
  inputSchema: jsonSchemaOf(describeArguments, { isShort: true }),
  call: (_api, sent) =>
    resultOf(async () => {
      const described = describedOf(operationOf(readBy(describeArguments, sent).operation));
      return cutToSize({ data: described, notes: [] }).answer;
    }),
};

const callArguments = z.strictObject({
  operation,
  params: fields.describe('What the path names; a card by its id or any identifier: {"card_id": "PAY-7"}'),
  query: fields.describe('What narrows a list; `limit` and `cursor` too'),
  body: fields.describe('What is sent'),
  clear: clearNames.optional().describe('Fields of the body that are to be emptied: null and "" change nothing'),
  version: version.describe('Where `needs_version`: the version that you read; else it is read first'),
  idempotency_key: idempotencyKey,
});

type Parts = [Record<string, unknown>, Record<string, unknown>];

const callOperation: Tool = {
  name: 'call_operation',
  title: 'Call any operation',
  description:
    'For what has no tool of its own: subtasks, labels, files, boards and their columns and members, workstreams, webhooks, bulk changes, events. `list_operations` lists them, `describe_operation` shows what one takes.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  inputSchema: jsonSchemaOf(callArguments, { isShort: true }),
  call: (api, sent) =>
    resultOf(async () => {
      const { operation: id, clear = [], version, idempotency_key: key, ...given } = readBy(callArguments, sent);
      const called = operationOf(id);
      const [params, query] = [
        meant(called.params, given.params ?? {}),
        meant(called.query, given.query ?? {}),
      ] as Parts;
      const body = called.body && withCleared(called.body, meant(called.body, given.body ?? {}) as Parts[0], clear);
      const call = await withUsers(api, { params, query, ...(body ? { body } : {}), version, key });
      const answer = await answerTo(api, called, call);
      return { ...answer, notes: [...answer.notes, ...notesOfCleared(clear)] };
    }),
};

/** The tools that reach every operation. */
export const genericTools: Tool[] = [listOperations, describeOperation, callOperation];
