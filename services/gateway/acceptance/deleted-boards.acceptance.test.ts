import { sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, newFixture } from './routes/fixture.ts';
import { type Route, routes, sendTo } from './routes/samples.ts';
import type { Body } from './workspace.ts';

const stack = await sharedStack();
let fixture: Fixture;
let before: Body;

/** What a card of a deleted board still shows. */
const stateOf = async ({ client, card, comment, subtask }: Fixture) => {
  const read = async (path: string) => (await client.get(path)).body;
  return {
    cards: [await read(`/cards/${card.id}`), await read(`/cards/by-identifier/${card.identifier}`)],
    comments: [await read(`/comments/${comment.id}`), await client.all(`/cards/${card.id}/comments`)],
    subtasks: [await read(`/subtasks/${subtask.id}`), await client.all(`/cards/${card.id}/subtasks`)],
    dependencies: await client.all(`/cards/${card.id}/dependencies`),
    identifiers: await client.all(`/cards/${card.id}/identifiers`),
  };
};

beforeAll(async () => {
  fixture = await newFixture(stack);
  const { client, card, other, label, board } = fixture;
  await client.data(client.put(`/cards/${card.id}/dependencies/${other.id}`));
  await client.data(client.put(`/cards/${card.id}/labels/${label.id}`));
  await client.data(client.put(`/cards/${card.id}/assignees/${client.userId}`));
  fixture.card = await client.card(card.id);
  await client.data(client.delete(`/boards/${board.id}`, { ifMatch: 1 }));
  before = await stateOf(fixture);
});

const onCard = ({ method, params: [first = ''] }: Route) =>
  method !== 'GET' && ['card_id', 'comment_id', 'subtask_id'].includes(first);

describe('a card of a deleted board takes no write', () => {
  it.each(routes.filter(onCard).map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (_, route) => {
      const { status, body } = await sendTo(route, fixture);
      expect([status, body.error?.code]).toEqual([409, 'conflict']);
    },
  );

  it('and stays as it was, to be read by id and by identifier', async () => {
    const reference = { board_deleted_at: expect.any(String), dependency_count: 1 };
    expect(before.cards).toMatchObject([{ data: fixture.card }, { data: { card: fixture.card, reference } }]);
    expect(await stateOf(fixture)).toEqual(before);
  });
});
