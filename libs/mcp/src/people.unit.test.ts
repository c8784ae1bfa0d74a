import type { CallToolResult } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import type { ApiRequest } from './api.ts';
import { genericTools } from './generic.ts';
import { declaredTools } from './tools.ts';

const [maria, twin, other, card] = [1, 2, 3, 4].map((n) => `0197c2f0-8d5e-7c41-9a3b-00000000000${n}`) as [
  string,
  string,
  string,
  string,
];
const people = [
  { user_id: maria, name: 'Maria Silva', email: 'maria@example.com' },
  { user_id: twin, name: 'Twin', email: 'twin@example.com' },
  { user_id: other, name: 'Twin', email: null },
];

/** An API with these people, in which every other answer is a card of Maria's. */
const double = () => {
  const asked: ApiRequest[] = [];
  const find = (query: URLSearchParams) =>
    people.filter(
      ({ user_id, name, email }) =>
        query.getAll('user_id').includes(user_id) ||
        query.get('email') === email ||
        (query.has('q') && name.toLowerCase().startsWith(query.get('q')?.toLowerCase() ?? '')),
    );
  const api = async (request: ApiRequest) => {
    const isPeople = request.operation === 'listPeople';
    if (!isPeople) asked.push(request);
    const data = isPeople
      ? find(new URL(request.path, 'http://api').searchParams)
      : { id: card, created_by: other, assignee_user_ids: [maria] };
    return { status: 200, headers: { etag: '"7"' }, body: { data } };
  };
  return { asked, api };
};

const answerIn = (result: CallToolResult | undefined) =>
  JSON.parse((result?.content as { text: string }[] | undefined)?.[0]?.text ?? '');
const call = async (name: string, given: Record<string, unknown>) => {
  const { asked, api } = double();
  const tool = [...declaredTools, ...genericTools].find((one) => one.name === name);
  return { asked, answer: answerIn(await tool?.call(api, given)) };
};

it('names the people of an answer beside their ids', async () => {
  const { answer } = await call('read_card', { card: 'PAY-7' });
  expect(answer.data.assignee_user_ids).toEqual([maria]);
  expect(answer.people).toEqual({ [maria]: 'Maria Silva', [other]: 'Twin' });
});

it.each(['maria@example.com', 'maria silva', maria])(
  'takes %s for a user, in tools and in any operation',
  async (who) => {
    const assign = { operation: 'putCardAssignee', params: { card_id: 'PAY-7', user_id: who } };
    const { asked } = await call('call_operation', assign);
    expect(asked.at(-1)?.path).toBe(`/cards/PAY-7/assignees/${maria}`);
    const body = { title: 'Order the cake', assignee_user_ids: [who] };
    const created = await call('call_operation', { operation: 'createCard', params: { column_id: card }, body });
    expect(created.asked.at(-1)?.body).toEqual({ ...body, assignee_user_ids: [maria] });
  },
);

it('refuses what nobody is known by, and what several are called', async () => {
  const params = (user_id: string) => ({ operation: 'putCardAssignee', params: { card_id: 'PAY-7', user_id } });
  const nobody = await call('call_operation', params('Bob'));
  expect([nobody.asked, nobody.answer.error.code]).toEqual([[], 'not_found']);
  const several = await call('call_operation', params('twin'));
  expect([several.asked, several.answer.error.code]).toEqual([[], 'invalid_request']);
  expect(several.answer.error.message).toContain(`${twin} (twin@example.com), ${other} (no e-mail)`);
});
