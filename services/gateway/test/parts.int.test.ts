import { bulkCards, CardinalError, findCardIds } from '@cardinal/contracts';
import { v7 } from 'uuid';
import { beforeEach, expect, it } from 'vitest';
import { startGateway } from './gateway.ts';
import { aCard } from './resources.ts';

const gateway = await startGateway();

interface Asked {
  command: { id: string; fingerprint: string };
  body: { cards: { card: string }[] };
}
let asked: Asked[] = [];
const known: Record<string, string> = { 'PAY-1': v7(), 'OLD-7': v7() };

beforeEach(() => {
  asked = [];
  gateway.serve(findCardIds, ({ identifiers }) => ({ card_ids: identifiers.map((one: string) => known[one] ?? null) }));
  // Two items of an answer at most.
  gateway.serve(bulkCards, (request) => {
    asked.push(request);
    const items = request.body.cards.slice(0, 2).map(({ card }: { card: string }) => ({
      card,
      status: 200,
      data: { ...aCard(), id: card },
    }));
    return { items, next_cursor: request.body.cards.length > 2 ? '2' : null, replayed: asked.length > 3 };
  });
});

const send = (cards: object[], key: string = v7(), more: object = { archive: true }) =>
  gateway.call({
    method: 'POST',
    path: '/cards/bulk',
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ cards, ...more }),
  });

it('asks until every card is answered, under one command, and answers each under the client’s name', async () => {
  const ids = [v7(), v7(), v7()];
  const names = [ids[0], 'pay-1', ids[1]?.toUpperCase(), 'OLD-7', ids[2]];
  const answer = await send(names.map((card) => ({ card, version: 1 })));
  const expected = [ids[0], known['PAY-1'], ids[1], known['OLD-7'], ids[2]];
  expect(answer.status).toBe(200);
  expect(answer.json.data.map(({ card, data }: Record<string, Record<string, string>>) => [card, data?.id])).toEqual(
    names.map((name, at) => [name, expected[at]]),
  );
  expect(asked.map(({ body }) => body.cards.map(({ card }) => card))).toEqual([
    expected,
    expected.slice(2),
    expected.slice(4),
  ]);
  expect(new Set(asked.map(({ command }) => command.id)).size).toBe(1);
  expect(answer.headers).not.toHaveProperty('idempotent-replayed');
});

it('counts a key for the cards and not for their spelling, and marks replays', async () => {
  const key = v7();
  for (const card of ['PAY-1', 'pay-1', known['PAY-1']]) await send([{ card, version: 1 }], key);
  expect(new Set(asked.map(({ command }) => `${command.id} ${command.fingerprint}`)).size).toBe(1);
  const again = await send([{ card: 'PAY-1', version: 1 }], key);
  expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
});

it('refuses a body that breaks a rule, before it asks the owner', async () => {
  const id = v7();
  const one = { card: id, version: 1 };
  const cases: [object[], object, (string | number)[]][] = [
    [[], { archive: true }, ['cards']],
    [Array.from({ length: 101 }, () => ({ card: v7(), version: 1 })), { archive: true }, ['cards']],
    [[one, { card: id.toUpperCase(), version: 2 }], { archive: true }, ['cards', 1, 'card']],
    [
      [
        { ...one, card: known['PAY-1'] },
        { ...one, card: 'pay-1' },
      ],
      { archive: true },
      ['cards', 1, 'card'],
    ],
    [[{ card: id }], { patch: { title: 'New' } }, ['cards', 0, 'version']],
    [[one], {}, []],
    [[one], { archive: true, restore: true }, []],
    [[one], { archive: false }, ['archive']],
    [[one], { patch: {} }, ['patch']],
    [[one], { move: { position: 'start', before_card_id: v7() } }, ['move']],
    [[one], { add_labels: [] }, ['add_labels']],
    [[{ card: 'nonsense' }], { add_labels: [v7()] }, ['cards', 0, 'card']],
  ];
  for (const [cards, verb, path] of cases) {
    const { status, json } = await send(cards, v7(), verb);
    expect([status, json.error.details?.[0]?.path], JSON.stringify(verb)).toEqual([422, path]);
  }
  expect(asked).toEqual([]);
});

it('answers a refusal of the whole as of any request', async () => {
  gateway.serve(bulkCards, () => {
    throw new CardinalError('idempotency_key_reused', 'The idempotency key was used for a different request');
  });
  expect(await send([{ card: v7(), version: 1 }])).toMatchObject({
    status: 422,
    json: { error: { code: 'idempotency_key_reused' } },
  });
});
