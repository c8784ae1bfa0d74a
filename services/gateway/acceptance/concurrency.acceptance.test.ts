import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { clientOf, together, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();
const numbersUpTo = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}-${n + 1}`);
const _byNumber = (a: string, b: string) => Number(a.split('-')[1]) - Number(b.split('-')[1]);

describe('many clients at once', () => {
  it('makes one MAIN however many first requests of a workspace race', async () => {
    const client = await clientOf(stack);
    const lists = await together(20, () => client.data(client.get('/workstreams')));
    expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
    expect(lists[0]).toEqual([expect.objectContaining({ prefix: 'MAIN', name: 'Main', is_default: true, version: 1 })]);
  });

  it('lets every transfer in a tug of war end with an answer and every former name resolve', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const [left, right] = [await client.createWorkstream('LEFT'), await client.createWorkstream('RIGHT')];
    const card = await client.createCard(column.id, 'pulled');

    await together(6, async (n) => {
      for (let pull = 0; pull < 5; pull += 1) {
        const current = await client.card(card.id);
        const target = n % 2 ? left : right;
        expect([200, 412]).toContain((await client.transfer(current, target.id)).status);
      }
    });

    const history = await client.all(`/cards/${card.id}/identifiers`);
    const current = await client.card(card.id);
    expect(history.filter((entry) => entry.is_current).map((entry) => entry.identifier)).toEqual([current.identifier]);
    for (const entry of history) {
      const { body } = await client.get(`/cards/by-identifier/${entry.identifier}`);
      expect(body.data).toMatchObject({
        card: { id: card.id },
        current_identifier: current.identifier,
        is_alias: entry.identifier !== current.identifier,
      });
    }
    for (const prefix of ['LEFT', 'RIGHT']) {
      const numbers = history.map((entry) => entry.identifier).filter((identifier) => identifier.startsWith(prefix));
      expect(numbers).toEqual(numbersUpTo(numbers.length, prefix));
    }
  });
});
