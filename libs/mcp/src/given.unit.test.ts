import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ApiRequest } from './api.ts';
import { genericTools } from './generic.ts';
import { meant } from './given.ts';
import { declaredTools } from './tools.ts';

const id = '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b';

/** What a tool asks the API for, but for reads of a version, and what it answers. */
const called = async (name: string, given: Record<string, unknown>) => {
  const asked: ApiRequest[] = [];
  const api = async (request: ApiRequest) => {
    asked.push(request);
    return { status: 200, headers: { etag: '"7"' }, body: { data: [] } };
  };
  const tool = [...declaredTools, ...genericTools].find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  const [first] = (await tool.call(api, given)).content as { text: string }[];
  const answer = JSON.parse(first?.text ?? '');
  return { sent: asked.filter(({ operation }) => !operation.endsWith('read first')).at(-1), answer };
};

/** The same call as clients send it that fill in what their model did not say. */
const clients = {
  'null for each (OpenAI in strict mode, VS Code)': {
    description: null,
    due_date: null,
    priority: null,
    version: null,
  },
  'empty texts (Claude, Gemini)': { description: '', due_date: '', priority: '', version: '', idempotency_key: '' },
  'blanks and the version as a text (Cursor)': { description: ' ', version: '7', random_string: 'dummy' },
  'members that nobody knows, unset': { description: null, explanation: null, wait_for_previous: false },
  'nothing (Claude Code)': {},
};

describe.each(Object.entries(clients))('%s', (_, filled) => {
  it('renames a card and empties nothing', async () => {
    const { sent } = await called('update_card', { card: 'PAY-7', title: 'x', ...filled });
    expect([sent?.body, sent?.headers['if-match']]).toEqual([{ title: 'x' }, '"7"']);
    const body = {
      title: 'x',
      ...Object.fromEntries(Object.entries(filled).filter(([name]) => name === 'description')),
    };
    const generic = await called('call_operation', { operation: 'patchCard', params: { card_id: 'PAY-7' }, body });
    expect(generic.sent?.body).toEqual({ title: 'x' });
  });
});

it('takes what is not set for left out, in every part of a call', async () => {
  const nulls = { description: null, workstream_id: null, due_date: null, priority: null, label_ids: null };
  const made = await called('create_card', { column_id: id, title: 'x', ...nulls, idempotency_key: '' });
  expect([made.sent?.body, made.sent?.headers['idempotency-key']?.length]).toEqual([{ title: 'x' }, 36]);
  const found = await called('find_cards', { q: '', board_id: [''], label_id: null, limit: '5', blocked: 'true' });
  expect(found.sent?.path).toBe('/cards?limit=5&blocked=true');
  const rest = {
    params: { board_id: id },
    query: null,
    body: { default_workstream_id: null, name: 'x' },
    version: '3',
  };
  const generic = await called('call_operation', {
    operation: 'patchBoard',
    ...rest,
    clear: null,
    idempotency_key: null,
  });
  expect([generic.sent?.body, generic.sent?.path]).toEqual([{ name: 'x' }, `/boards/${id}`]);
  const patch = { title: 'x', description: null };
  const bulk = { cards: [{ card: 'PAY-7', version: '2' }], patch };
  const many = await called('call_operation', { operation: 'bulkCards', body: JSON.stringify(bulk) });
  expect(many.sent?.body).toEqual({ cards: [{ card: 'PAY-7', version: 2 }], patch: { title: 'x' } });
  const { answer } = await called('list_operations', { tag: null, _meta: {} });
  expect(answer.data.length).toBeGreaterThan(20);
});

it('empties what `clear` names, and says so', async () => {
  const cleared = await called('update_card', { card: 'PAY-7', description: null, clear: ['description', 'due_date'] });
  expect(cleared.sent?.body).toEqual({ description: null, due_date: null });
  expect(cleared.answer.notes).toContain('Emptied: description, due_date.');
  const asText = await called('update_card', { card: 'PAY-7', title: 'x', clear: '["priority"]' });
  expect(asText.sent?.body).toEqual({ title: 'x', priority: null });
  const body = { cards: [{ card: 'PAY-7', version: 2 }], patch: { title: 'x' } };
  const bulk = await called('call_operation', { operation: 'bulkCards', body, clear: ['patch.description'] });
  expect(bulk.sent?.body).toEqual({ ...body, patch: { title: 'x', description: null } });
});

it.each([
  [{ description: null }, 'nothing to change'],
  [{ clear: ['title'] }, 'title cannot be emptied; what can: description, due_date, priority'],
  [{ description: 'x', clear: ['description'] }, 'description is given a value too'],
  [{ clear: { description: true } }, 'clear: must be a list'],
  [{ descripton: 'x' }, 'descripton: is no argument'],
])('refuses %j before anything is sent', async (given, message) => {
  const { sent, answer } = await called('update_card', { card: 'PAY-7', ...given });
  expect([sent, answer.error.code]).toEqual([undefined, 'invalid_request']);
  expect(answer.error.message).toContain(message);
});

it('changes nothing of what fits its schema already', () => {
  const schema = z.object({
    text: z.string().min(1),
    number: z.number().optional(),
    flag: z.boolean(),
    list: z.array(z.string().min(1).regex(/\S/)),
    inner: z.object({ needed: z.string().nullable() }).optional(),
    either: z.union([z.string().min(1), z.array(z.string().regex(/\S/))]),
  });
  const value = fc.record(
    {
      text: fc.string({ minLength: 1 }),
      number: fc.integer(),
      flag: fc.boolean(),
      list: fc.array(fc.stringMatching(/^\S+$/)),
      inner: fc.record({ needed: fc.option(fc.string()) }),
      either: fc.array(fc.stringMatching(/^\S+$/)),
    },
    { requiredKeys: ['text', 'flag', 'list', 'either'] },
  );
  fc.assert(
    fc.property(value, (one) => {
      expect(meant(schema, one)).toEqual(one);
    }),
  );
});
