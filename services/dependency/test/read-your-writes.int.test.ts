import {
  type Card,
  createBoard,
  createCard,
  createColumn,
  deleteCard,
  getCardByIdentifier,
  listCards,
  patchCard,
} from '@cardinal/contracts';
import { serviceEnvironment, startService } from '@cardinal/servers';
import { atEndOfFile, rounds, scratchFolder } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { createClient } from './support/client.ts';
import { type Harness, startHarness } from './support/harness.ts';

let harness: Harness;

/** Beside two instances of ours: the real services, two processes of the card service among them. */
beforeAll(async () => {
  harness = await startHarness({ instances: 2 });
  const { urls, natsUrl } = harness;
  const logs = scratchFolder('real');
  const start = (name: 'card' | 'identifier', at: number) =>
    startService({
      name,
      env: serviceEnvironment({ natsUrl, databaseUrl: urls[name] }),
      logFile: `${logs}/${name}-${at}.log`,
    });
  const services = await Promise.all([start('identifier', 1), start('card', 1), start('card', 2)]);
  atEndOfFile(() => Promise.all(services.map((service) => service.stop())));
});

const setUp = async () => {
  const client = createClient(harness);
  const { bus } = harness;
  const { who } = client;
  const order = () => ({ ...who, command: { id: v7(), fingerprint: v7() } });
  const board = (await bus.call(createBoard, { ...order(), body: { name: 'Board' } })).resource;
  const inBoard = { ...order(), board_id: board.id, body: { name: 'To do' } };
  const column = (await bus.call(createColumn, inBoard)).resource;
  const make = (count: number): Promise<Card[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const body = { title: `Card ${index}` };
        return (await bus.call(createCard, { ...order(), column_id: column.id, body })).resource;
      }),
    );
  const counts = async ({ identifier }: Card) => {
    const { reference } = await bus.call(getCardByIdentifier, { ...who, identifier });
    return [reference.dependency_count, reference.dependent_count];
  };
  const blocked = async () => {
    const filters = { archived: false, blocked: true };
    const page = await bus.call(listCards, { ...who, board_id: board.id, filters, page: { limit: 100 } });
    return page.items.map(({ id }) => id);
  };
  return { ...client, order, make, counts, blocked };
};

test('put, then look up at once: the count is there, many times in a row, and gone after the delete', async () => {
  const { put, remove, make, counts } = await setUp();
  const [a, b] = (await make(2)) as [Card, Card];
  for (let round = 0; round < rounds(200); round += 1) {
    await put(a.id, b.id);
    expect([await counts(a), await counts(b)]).toEqual([
      [1, 0],
      [0, 1],
    ]);
    await remove(a.id, b.id);
    expect(await counts(a)).toEqual([0, 0]);
  }
});

test('whoever puts what another one is just putting sees it as well', async () => {
  const { put, make, counts } = await setUp();
  const [a, ...others] = (await make(11)) as [Card, ...Card[]];
  for (const [index, other] of others.entries()) {
    const seen = await Promise.all(
      Array.from({ length: 3 }, async () => {
        await put(a.id, other.id);
        return (await counts(a))[0];
      }),
    );
    expect(seen).toEqual([index + 1, index + 1, index + 1]);
  }
});

test('whoever removes what another one is just removing sees it as well', async () => {
  const { put, remove, make, counts } = await setUp();
  const [a, ...others] = (await make(11)) as [Card, ...Card[]];
  for (const other of others) {
    await put(a.id, other.id);
    const seen = await Promise.all(
      Array.from({ length: 3 }, async () => {
        await remove(a.id, other.id);
        return (await counts(a))[0];
      }),
    );
    expect(seen).toEqual([0, 0, 0]);
  }
});

test('blocked follows dependencies and completion at once', async () => {
  const { put, remove, make, blocked, order } = await setUp();
  const [a, b, c] = (await make(3)) as [Card, Card, Card];
  await put(a.id, b.id);
  await put(c.id, b.id);
  expect((await blocked()).sort()).toEqual([a.id, c.id].sort());
  await remove(c.id, b.id);
  expect(await blocked()).toEqual([a.id]);
  const body = { completed: true };
  await harness.bus.call(patchCard, { ...order(), card_id: b.id, if_match: [b.version], body });
  expect(await blocked()).toEqual([]);
});

test('cards deleted while others depend on them leave no trace in either service', async () => {
  const { put, make, counts, edges, order, dependencies, dependents } = await setUp();
  const cards = await make(24);
  const doomed = cards.slice(0, 6);
  const kept = cards.slice(6);
  const puts = kept.flatMap((card, index) =>
    doomed.map((target) => (index % 2 ? put(card.id, target.id) : put(target.id, card.id))),
  );
  const deletions = doomed.map((card) =>
    harness.bus.call(deleteCard, { ...order(), card_id: card.id, if_match: [card.version] }),
  );
  const outcomes = await Promise.allSettled(puts);
  await Promise.all(deletions);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason.code).toMatch(/^(not_found|conflict)$/);
  }
  for (const card of kept) {
    expect([await counts(card), await dependencies(card.id), await dependents(card.id)]).toEqual([[0, 0], [], []]);
  }
  await expect.poll(edges).toEqual([]);
  for (const { id } of doomed) await expect(put(kept[0]?.id ?? '', id)).rejects.toMatchObject({ code: 'not_found' });
});
