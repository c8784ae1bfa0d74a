import { randomUUID } from 'node:crypto';
import { sharedStack, whitePng } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { watchLog } from './events/log.ts';
import { uploaded } from './files/uploading.ts';
import { type Fixture, newFixture } from './routes/fixture.ts';
import { type Route, routes, sendTo } from './routes/samples.ts';

const stack = await sharedStack();

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

const fixture = await newFixture(stack);
const { client, card, other, label, board } = fixture;
await client.data(client.put(`/cards/${card.id}/dependencies/${other.id}`));
await client.data(client.put(`/cards/${card.id}/labels/${label.id}`));
await client.data(client.put(`/cards/${card.id}/assignees/${client.userId}`));
fixture.card = await client.card(card.id);
// Resources of the board itself are as hidden as the board.
fixture.file = await uploaded(client, 'x.png', whitePng(9, 9));
await client.data(client.delete(`/boards/${board.id}`, { ifMatch: 1 }));
const before = await stateOf(fixture);
const log = await watchLog(client);

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

  // Rules of state come last (CONTRACT 1.5).
  const targets = routes.filter(onCard).flatMap((route) => {
    const target = route.method === 'PUT' ? route.params[1] : undefined;
    return target === undefined || target === 'user_id' ? [] : [[route.path, target, route] as const];
  });
  it.each(targets)('%s: 404 where there is no such %s', async (_, target, route) => {
    const { status, body } = await sendTo(route, fixture, { replacement: { [target]: randomUUID() } });
    expect([status, body.error?.code]).toEqual([404, 'not_found']);
  });

  it('and stays as it was, readable by id and by identifier, without an event', async () => {
    const reference = { board_deleted_at: expect.any(String), dependency_count: 1 };
    expect(before.cards).toMatchObject([{ data: fixture.card }, { data: { card: fixture.card, reference } }]);
    expect(await stateOf(fixture)).toEqual(before);
    expect(await log.news()).toEqual([]);
  });
});
