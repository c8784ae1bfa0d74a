import { randomUUID } from 'node:crypto';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { clientOf, together, workspaceWithBoard } from './workspace.ts';

const stack = await sharedStack();
const numbersUpTo = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}-${n + 1}`);
const byNumber = (a: string, b: string) => Number(a.split('-')[1]) - Number(b.split('-')[1]);

describe('many clients at once', () => {
  it('lets one of 50 parallel transfers with the same If-Match win and issues one number', async () => {
    const { client, column } = await workspaceWithBoard(stack);
    const target = await client.createWorkstream('PAY');
    const card = await client.createCard(column.id, 'contested');

    const answers = await together(50, () => client.transfer(card, target.id));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(49);
    expect((await client.card(card.id)).identifier).toBe('PAY-1');
    expect((await client.createCard(column.id, 'next', { workstream_id: target.id })).identifier).toBe('PAY-2');
    expect(await client.all(`/cards/${card.id}/identifiers`)).toHaveLength(2);
  });

  it('numbers 200 parallel creates in one workstream 1 to 200, each once', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const workstream = await client.createWorkstream('BULK');

    const cards = await together(200, (n) =>
      client.createCard(column.id, `card ${n}`, { workstream_id: workstream.id }),
    );

    expect(cards.map((card) => card.identifier).sort(byNumber)).toEqual(numbersUpTo(200, 'BULK'));
    const listed = await client.all(`/boards/${board.id}/cards`);
    expect(new Set(listed.map((card) => card.position)).size).toBe(200);
  });

  it('makes one card of 20 equal creates with one key and answers all the same', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const key = randomUUID();

    const answers = await together(20, () =>
      client.post(`/columns/${column.id}/cards`, { key, body: { title: 'once' } }),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => `${headers.get('etag')} ${headers.get('location')}`)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(19);
    expect(await client.all(`/boards/${board.id}/cards`)).toHaveLength(1);
  });

  it('makes one MAIN however many first requests of a workspace race', async () => {
    const client = await clientOf(stack);
    const lists = await together(20, () => client.data(client.get('/workstreams')));
    expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
    expect(lists[0]).toEqual([expect.objectContaining({ prefix: 'MAIN', name: 'Main', is_default: true, version: 1 })]);
  });

  it('lets one of 20 racing prefixes win', async () => {
    const client = await clientOf(stack);
    const answers = await together(20, (n) =>
      client.post('/workstreams', { body: { name: `try ${n}`, prefix: n % 2 ? 'race' : 'RACE' } }),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 409 && body.error.code === 'conflict')).toHaveLength(19);
  });

  it('keeps positions unique while cards are created and moved in one column', async () => {
    const { client, board, column } = await workspaceWithBoard(stack);
    const cards = await together(20, (n) => client.createCard(column.id, `card ${n}`));
    const anchor = cards[0];

    const answers = await together(60, async (n) => {
      const card = cards[1 + (n % 19)];
      if (n % 3 === 0) return client.post(`/columns/${column.id}/cards`, { body: { title: `new ${n}` } });
      const { version } = await client.card(card.id);
      const place = n % 3 === 1 ? { before_card_id: anchor.id } : { position: 'end' };
      return client.post(`/cards/${card.id}/move`, { ifMatch: version, body: place });
    });

    for (const { status } of answers) expect([200, 201, 412]).toContain(status);
    const listed = await client.all(`/boards/${board.id}/cards`);
    expect(listed).toHaveLength(40);
    expect(new Set(listed.map((card) => card.position)).size).toBe(40);
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
