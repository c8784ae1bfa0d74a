import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sharedStack } from '@cardinal/testkit';
import { describe, expect, it } from 'vitest';
import { type Answer, type Body, workspaceWithBoard } from '../workspace.ts';

const golden = fileURLToPath(new URL('../../test/golden/answer-bytes.txt', import.meta.url));
/** Bytes of the largest answer of each operation, as it is declared. */
const declared = new Map(
  readFileSync(golden, 'utf8')
    .split('\n')
    .map((line) => /^(\w+) (\d+)/.exec(line))
    .flatMap((match) => (match ? [[match[1] ?? '', Number(match[2])] as const] : [])),
);

const { client, board, column } = await workspaceWithBoard(await sharedStack());
/** Each of its characters takes six bytes in JSON. */
const description = '\u0001'.repeat(20_000);
const cards: Body[] = [];
for (let n = 0; n < 100; n += 1) cards.push(await client.createCard(column.id, `Card ${n}`, { description }));

const expectWithin = (operation: string, { status, text }: Answer) => {
  expect(status, `${operation}: ${text.slice(0, 500)}`).toBe(200);
  expect(Buffer.byteLength(text), operation).toBeLessThanOrEqual(declared.get(operation) ?? 0);
};

describe('the largest answers are within their declared sizes', () => {
  it('of a hundred cards that are changed at once', async () => {
    const body = { cards: cards.map(({ id }) => ({ card: id })), add_assignees: [client.userId] };
    const answer = await client.post('/cards/bulk', { body });
    expectWithin('bulkCards', answer);
    expect(answer.body.data.map(({ status, data }: Body) => [status, data.description === description])).toEqual(
      cards.map(() => [200, true]),
    );
    expect(Buffer.byteLength(answer.text)).toBeGreaterThan(100 * 6 * 20_000);
  });

  it('of a hundred cards that are adopted, of a body as large as it may be', async () => {
    const made = await client.post('/workstreams', { body: { name: 'Old', prefix: 'OLD', adopting: true } });
    const { id } = await client.data(Promise.resolve(made));
    const text = '"'.repeat(4_500);
    const adopted = cards.map((_, n) => ({
      number: n + 1,
      column_id: column.id,
      title: `Old ${n}`,
      description: text,
    }));
    const answer = await client.post(`/workstreams/${id}/adoptions`, { body: { cards: adopted } });
    expectWithin('adoptCards', answer);
    expect(answer.body.data.map(({ status }: Body) => status)).toEqual(cards.map(() => 201));
  });

  it.each([
    ['listCards', `/boards/${board.id}/cards?limit=100`],
    ['searchCards', '/cards?limit=100'],
    ['listEvents', '/events?limit=100'],
    ['listCardEvents', `/cards/${cards[0]?.id}/events?limit=100`],
  ])('of a page of %s, which ends before it is full and goes on', async (operation, path) => {
    let [count, cursor]: [number, string | null] = [0, null];
    do {
      const answer: Answer = await client.get(`${path}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
      expectWithin(operation, answer);
      expect(answer.body.data.length).toBeGreaterThan(0);
      count += answer.body.data.length;
      cursor = answer.body.page.next_cursor;
    } while (cursor);
    expect(count).toBeGreaterThanOrEqual(operation === 'listCardEvents' ? 2 : 100);
  });
});
