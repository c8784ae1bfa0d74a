import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Answer, type Body, type Client, type SendOptions, workspaceWithBoard } from '../workspace.ts';

export const stack = await sharedStack();

/** A board with one card that no bad request may touch. */
interface World {
  client: Client;
  board: Body;
  column: Body;
  card: Body;
}

/** Makes one in a workspace of its own. */
export const world = async (): Promise<World> => {
  const { client, board, column } = await workspaceWithBoard(stack);
  return { client, board, column, card: await client.createCard(column.id, 'untouched') };
};

/** A refusal in the shape of the catalogue that reveals nothing internal. */
export const expectRefusal = (answer: Answer, status: number, code: string) => {
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({ status, code });
  expect(answer.body.error.message).toEqual(expect.any(String));
  expect(answer.body.error.request_id).toBe(answer.headers.get('x-request-id'));
  expect(JSON.stringify(answer.body)).not.toMatch(/\bat .*:\d+|node_modules|\.ts:|select |insert /i);
};

const unchanged = async ({ client, board, card }: World) => {
  expect(await client.card(card.id)).toEqual(card);
  expect(await client.all(`/boards/${board.id}/cards`)).toEqual([card]);
  expect(await client.all(`/boards/${board.id}/columns`)).toHaveLength(1);
};

/** Sends one request to a world. */
export type Send = (world: World) => Promise<Answer>;

export const create =
  (options: SendOptions): Send =>
  ({ client, column }) =>
    client.post(`/columns/${column.id}/cards`, options);
export const edit =
  (options: SendOptions): Send =>
  ({ client, card }) =>
    client.patch(`/cards/${card.id}`, { ifMatch: card.version, ...options });
export const archive =
  (options: SendOptions): Send =>
  ({ client, card }) =>
    client.post(`/cards/${card.id}/archive`, { ifMatch: card.version, ...options });
export const list =
  (query: string): Send =>
  ({ client, board }) =>
    client.get(`/boards/${board.id}/cards?${query}`);
export const makeWorkstream =
  (body: unknown): Send =>
  ({ client }) =>
    client.post('/workstreams', { body });

export const emoji = (count: number) => '😀'.repeat(count);

/** A bad request, and the status and code that refuse it. */
export type Refused = [what: string, status: number, code: string, send: Send];

/** Tests, one a row, that a request is refused with this status and code and changes nothing. */
export const refusesEach = (refusals: Refused[]): void => {
  describe('a bad request changes nothing and says why', () => {
    it.each(refusals)('%s: %i %s', async (_, status, code, send) => {
      const before = await world();
      expectRefusal(await send(before), status, code);
      await unchanged(before);
    });
  });
};
