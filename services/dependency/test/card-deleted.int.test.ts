import { waitingForLock } from '@cardinal/testkit/instance';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { lockWorkspace } from '../src/graph/queries.ts';
import { removeCards } from '../src/graph/remove.ts';
import { startCardDouble } from './support/card-double.ts';
import { createClient } from './support/client.ts';
import { startHarness } from './support/harness.ts';

const harness = await startHarness({ instances: 2 });
const card = await startCardDouble(harness.natsUrl);

const setUp = () => {
  const client = createClient(harness);
  /** Appends to the card service's feed that a card was deleted. */
  const noteDeleted = (id: string, event?: string) => card.feed.append(client.deletionOf(id, event));
  return { ...client, noteDeleted, makeCards: (count: number) => card.add(client.who.workspace_id, count) };
};

const tombstone = (id: string) => expect.objectContaining({ id, position: null, deleted_at: expect.any(Date) });

test('dependencies of a deleted card are removed at both ends, each with an event, and others stay', async () => {
  const { put, makeCards, noteDeleted, edges, events, cards } = setUp();
  const [a, b, c, d] = makeCards(4) as [string, string, string, string];
  await put(a, b);
  await put(b, c);
  await put(d, b);
  await put(a, c);
  noteDeleted(b);
  await expect.poll(edges).toEqual([{ card_id: a, depends_on_card_id: c, version: 4 }]);
  expect(await cards()).toContainEqual(tombstone(b));
  const removed = (await events()).slice(4);
  expect(removed.map(({ aggregate_version }) => aggregate_version).sort()).toEqual([5, 6, 7]);
  expect(removed.map(({ data }) => data)).toEqual(
    expect.arrayContaining([
      { card_id: a, depends_on_card_id: b, exists: false },
      { card_id: b, depends_on_card_id: c, exists: false },
      { card_id: d, depends_on_card_id: b, exists: false },
    ]),
  );
});

test('a repeated deletion changes nothing more', async () => {
  const { put, makeCards, noteDeleted, edges, events, cards } = setUp();
  const [a, b, c] = makeCards(3) as [string, string, string];
  await put(a, b);
  noteDeleted(b, v7());
  noteDeleted(b, v7());
  noteDeleted(c);
  await expect.poll(async () => (await cards()).filter(({ deleted_at }) => deleted_at).length).toBe(2);
  await expect.poll(edges).toEqual([]);
  expect(await events()).toHaveLength(2);
});

test('a deletion that is handed over opens a cycle at once; the copy in the feed changes nothing', async () => {
  const { put, makeCards, handOverDeleted, noteDeleted, edges, events, cards } = setUp();
  const [a, b, c] = makeCards(3) as [string, string, string];
  await put(a, b);
  await put(b, c);
  await expect(put(c, a)).rejects.toMatchObject({ code: 'conflict' });
  const id = v7();
  expect(await handOverDeleted(b, id)).toEqual({ applied: true });
  await put(c, a);
  expect(await handOverDeleted(b, id)).toEqual({ applied: false });

  const before = await events();
  const last = c;
  noteDeleted(b, id);
  noteDeleted(last);
  await expect.poll(cards).toContainEqual(tombstone(last));
  expect(await edges()).toEqual([]);
  expect(await events()).toHaveLength(before.length + 1);
});

test('a repeated deletion does not wait for writers of the graph', async () => {
  const { makeCards, handOverDeleted, who } = setUp();
  const [a] = makeCards(1) as [string];
  await handOverDeleted(a);
  const again = await harness.db.transaction(async (tx) => {
    await lockWorkspace(tx, who.workspace_id);
    return handOverDeleted(a);
  });
  expect(again).toEqual({ applied: false });
});

test('concurrent deletions, each sent twice, apply once each; every dependency is removed with an event of its own', async () => {
  const { put, makeCards, handOverDeleted, edges, events } = setUp();
  const chain = makeCards(12);
  for (const [at, card] of chain.slice(1).entries()) await put(card, chain[at] as string);
  const answers = await Promise.all([...chain, ...chain].map((card) => handOverDeleted(card)));
  expect(answers.filter(({ applied }) => applied)).toHaveLength(chain.length);
  expect(await edges()).toEqual([]);
  const versions = (await events()).map(({ aggregate_version }) => aggregate_version);
  expect(versions).toHaveLength(22);
  expect(new Set(versions).size).toBe(22);
});

test('a deletion beside new dependencies on the card leaves none in the end, and the order holds', async () => {
  const { put, makeCards, noteDeleted, edges, cards, inversions } = setUp();
  const targets = makeCards(5);
  const others = makeCards(40);
  const puts = others.flatMap((other, index) =>
    targets.map((target) => (index % 2 ? put(other, target) : put(target, other))),
  );
  for (const target of targets) noteDeleted(target);
  const outcomes = await Promise.allSettled(puts);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason.code).toMatch(/^(not_found|conflict)$/);
  }
  await expect.poll(cards).toEqual(expect.arrayContaining(targets.map(tombstone)));
  const touched = (await edges()).filter(
    ({ card_id, depends_on_card_id }) => targets.includes(card_id) || targets.includes(depends_on_card_id),
  );
  expect(touched).toEqual([]);
  expect(await inversions()).toEqual([]);
  for (const target of targets)
    await expect(put(others[0] as string, target)).rejects.toMatchObject({ code: 'not_found' });
});

test('a card that is deleted while a dependency on it is checked gets none, though it never had any', async () => {
  const { put, makeCards, edges, cards, who } = setUp();
  const [a, b, c] = makeCards(3) as [string, string, string];
  await put(a, b);
  const { db } = harness;
  const waiting = await db.transaction(async (tx) => {
    await lockWorkspace(tx, who.workspace_id);
    const refused = expect(put(a, c)).rejects.toMatchObject({ code: 'not_found' });
    await expect.poll(() => waitingForLock(db)).toBe(1);
    await removeCards(tx, who.workspace_id, [{ cardId: c }], new Date());
    return { refused };
  });
  await waiting.refused;
  expect(await edges()).toHaveLength(1);
  expect(await cards()).toContainEqual(tombstone(c));
});
