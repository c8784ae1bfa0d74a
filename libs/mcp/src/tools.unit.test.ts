import { declaredOperations, type HttpOperation } from '@cardinal/contracts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiRequest } from './api.ts';
import { readPathOf } from './api.ts';
import { genericTools } from './generic.ts';
import { maxLineBytes } from './lines.ts';
import { argumentsOf } from './schemas.ts';
import { declaredTools } from './tools.ts';

const ajv = addFormats.default(new Ajv2020({ strict: false }));
const id = '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b';
const operations = declaredOperations.map(({ http }) => http);
const withTool = operations.filter(({ tool }) => tool).map((one) => [one.tool?.name ?? '', one] as const);

const toolCalled = (name: string) => {
  const tool = declaredTools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
};

/** The arguments that say what the declaration's example says. */
const exampleOf = (operation: HttpOperation): Record<string, unknown> => {
  const path = [...argumentsOf(operation)].filter(([, { part }]) => part === 'params');
  const named = path.map(([name, { field }]) => [name, field === 'identifier' ? 'PAY-7' : id]);
  return { ...(operation.example as object), ...Object.fromEntries(named) };
};

const answerIn = (result: CallToolResult | undefined) =>
  JSON.parse((result?.content as { text: string }[] | undefined)?.[0]?.text ?? '');

/** An API that answers everything alike, and what it was asked. */
const double = (etag = '"7"') => {
  const asked: ApiRequest[] = [];
  const api = async (request: ApiRequest) => {
    asked.push(request);
    return { status: 200, headers: { etag }, body: { data: [] } };
  };
  return { asked, api };
};

it('is a tool for every declaration that asks for one, with a name of its own', () => {
  const names = declaredTools.map(({ name }) => name);
  expect(names).toEqual(withTool.map(([name]) => name));
  expect(new Set([...names, ...genericTools.map(({ name }) => name)]).size).toBe(names.length + genericTools.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

describe.each(withTool)('%s', (name, operation) => {
  const tool = toolCalled(name);

  it('has a valid schema, and takes the example of its declaration', async () => {
    expect(ajv.validateSchema(tool.inputSchema)).toBe(true);
    const given = exampleOf(operation);
    expect([ajv.validate(tool.inputSchema, given), ajv.errors]).toEqual([true, null]);
    expect(ajv.validate(tool.inputSchema, { ...given, nonsense: 1 })).toBe(false);
    const { api, asked } = double();
    expect(await tool.call(api, given)).not.toHaveProperty('isError');
    const sent = asked.find((one) => one.operation === operation.id);
    expect(sent?.method).toBe(operation.method);
    // What it sends is what the declaration takes.
    if (operation.body) expect(operation.body.safeParse(sent?.body).success).toBe(true);
    else expect(sent).not.toHaveProperty('body');
    expect('if-match' in (sent?.headers ?? {})).toBe(operation.requires.includes('If-Match'));
    expect('idempotency-key' in (sent?.headers ?? {})).toBe(operation.requires.includes('Idempotency-Key'));
  });

  it('refuses an argument that it does not have, before anything is asked', async () => {
    const { api, asked } = double();
    const { isError } = await tool.call(api, { ...exampleOf(operation), nonsense: 1 });
    expect([isError, asked]).toEqual([true, []]);
  });

  it('has hints that follow the method and the scope', () => {
    const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations;
    expect(readOnlyHint).toBe(operation.method === 'GET' || operation.isRead);
    if (operation.method === 'DELETE' || operation.scope === 'kanban:admin') expect(destructiveHint).toBe(true);
    if (readOnlyHint) expect(destructiveHint).toBe(false);
    expect(idempotentHint).toBe(operation.isRead || operation.method !== 'POST');
  });

  it('answers lists that need no other parameter along with it', () => {
    for (const other of Object.values(operation.tool?.along ?? {})) {
      const found = operations.find((one) => one.id === other);
      expect(Object.keys(found?.params.shape ?? {})).toEqual(Object.keys(operation.params.shape));
      expect(found?.reply.kind).toBe('page');
    }
  });
});

it('finds what a command changes at the path of a read', () => {
  const reads = operations.filter(({ method }) => method === 'GET').map(({ path }) => path);
  for (const { path, requires } of operations) {
    if (requires.includes('If-Match')) expect(reads).toContain(readPathOf(path));
  }
});

it('changes the version that it read, though a proxy made a weak validator of it', async () => {
  const { api, asked } = double('W/"7"');
  await toolCalled('update_card').call(api, { card: 'PAY-7', title: 'x' });
  expect(asked.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"7"']);
});

it.each(['..', '.', ''])('never asks for another path: %j', async (card) => {
  const { api, asked } = double();
  const { isError } = await toolCalled('read_card').call(api, { card });
  expect([isError, asked.map(({ path }) => path)]).toEqual([true, []]);
});

it.each([
  ['create_card', { column_id: id, title: 'x', idempotency_key: 'a\nb' }, 'idempotency_key: must be'],
  ['update_card', { card: 'PAY-7', title: 'x', version: '1 or 2' }, 'version: must be'],
  ['update_card', { title: 'x' }, 'card: is required'],
])('says of %s which argument cannot be sent, before anything is asked', async (name, given, message) => {
  const { api, asked } = double();
  const { isError, content } = await toolCalled(name).call(api, given);
  expect([isError, asked]).toEqual([true, []]);
  expect(content).toEqual([{ type: 'text', text: expect.stringMatching(`"invalid_request","message":"${message}`) }]);
});

describe('the generic tools', () => {
  const [list, describeOne, call] = genericTools;
  const { api } = double();
  const listed = async () => {
    return answerIn(await list?.call(api, {})).data as { operation: string }[];
  };

  it('list every operation', async () => {
    expect((await listed()).map(({ operation }) => operation)).toEqual(operations.map((one) => one.id));
  });

  it.each(operations.map((one) => [one.id, one] as const))('describe and call %s', async (name, operation) => {
    const described = await describeOne?.call(api, { operation: name });
    expect(answerIn(described)).toMatchObject({ data: { operation: name, scope: operation.scope } });
    const { asked, api: own } = double();
    const names = Object.keys(operation.params.shape);
    const params = Object.fromEntries(names.map((one) => [one, one === 'identifier' ? 'PAY-7' : id]));
    const { example: body } = operation;
    const result = await call?.call(own, { operation: name, params, ...(body === undefined ? {} : { body }) });
    if (operation.reply.kind === 'stream') {
      expect([result?.isError, asked]).toEqual([true, []]);
      return;
    }
    const sent = asked.at(-1);
    expect([result?.isError, sent?.operation, sent?.path.includes(':')]).toEqual([undefined, name, false]);
    if (body !== undefined) expect(sent?.body).toEqual(body);
  });

  it('refuse what they cannot call', async () => {
    const unknown = await call?.call(api, { operation: 'makeCoffee' });
    expect(JSON.stringify(unknown)).toContain('list_operations');
    const wrong = await call?.call(api, { operation: 'getCard', param: {} });
    expect(JSON.stringify(wrong)).toContain('invalid_request');
  });
});

it('lists all tools in at most 32 KB: each conversation pays for them', () => {
  const tools = [...declaredTools, ...genericTools].map(({ call: _, ...shown }) => shown);
  const message = { jsonrpc: '2.0', id: 1, result: { tools } };
  expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(32_000);
});

it('says of null in no tool that it empties, since it does not', () => {
  const said = declaredTools.map(({ description, inputSchema }) => description + JSON.stringify(inputSchema)).join();
  expect(said.replaceAll('What is to be emptied: null and', '')).not.toMatch(/\bnull\b/);
});

it('describes each operation in what one answer has', async () => {
  const [, describeOne] = genericTools;
  for (const { id: one } of operations) {
    const { content } = (await describeOne?.call(double().api, { operation: one })) ?? {};
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(maxLineBytes - 1_000);
    expect(JSON.stringify(content)).not.toContain('[cut');
  }
});

it('knows a JSON schema of every argument', () => {
  for (const [, operation] of withTool) {
    for (const { schema } of argumentsOf(operation).values()) expect(schema).toBeInstanceOf(z.ZodType);
  }
});
