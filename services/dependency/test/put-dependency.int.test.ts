import { sql } from 'kysely';
import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { startCardDouble } from './support/card-double.ts';
import { createClient } from './support/client.ts';
import { startHarness } from './support/harness.ts';

const harness = await startHarness();
const card = await startCardDouble(harness.natsUrl);

const notFound = { code: 'not_found', message: 'Card not found' };

/** A workspace with cards a, b, c, d. */
const setUp = () => {
  const client = createClient(harness);
  const { workspace_id } = client.who;
  const [a, b, c, d] = card.add(workspace_id, 4) as [string, string, string, string];
  const names = (...ids: string[]) => ids.map((id) => card.identifierOf(workspace_id, id));
  const projected = () => card.projected.filter((event) => event.workspace_id === workspace_id);
  return { ...client, workspace_id, a, b, c, d, names, projected };
};

describe('put', () => {
  test('declares a dependency and emits its event', async () => {
    const { put, a, b, edges, events, projected, dependencies, dependents } = setUp();
    const answer = await put(a, b);
    expect(answer).toEqual({ card_id: a, depends_on_card_id: b, created_at: expect.any(String) });
    expect(await edges()).toEqual([{ card_id: a, depends_on_card_id: b, version: 1 }]);
    expect(await dependencies(a)).toEqual([b]);
    expect(await dependents(b)).toEqual([a]);
    const changed = {
      aggregate_id: a,
      aggregate_version: 1,
      data: { card_id: a, depends_on_card_id: b, exists: true },
    };
    expect(projected()).toMatchObject([changed]);
    expect(await events()).toMatchObject([{ type: 'dependency.changed', ...changed }]);
  });

  test('repeated gives the same answer and no event', async () => {
    const { put, a, b, edges, events, projected } = setUp();
    const answer = await put(a, b);
    expect(await put(a, b)).toEqual(answer);
    expect(await Promise.all([put(a, b), put(a, b), put(a, b)])).toEqual([answer, answer, answer]);
    expect(await edges()).toHaveLength(1);
    expect(await events()).toHaveLength(1);
    // The event is handed over again: the first writer may have crashed before it did so.
    expect(new Set(projected().map((event) => event.aggregate_version))).toEqual(new Set([1]));
  });

  test('refuses the card of a deleted board, not a dependency on one', async () => {
    const { put, a, workspace_id } = setUp();
    const [left] = card.add(workspace_id, 1, { board_deleted: true }) as [string];
    await expect(put(left, a)).rejects.toMatchObject({ code: 'conflict', details: undefined });
    await put(a, left);
  });

  test('is not found where a card was deleted between the look-up and the insert', async () => {
    const { put, a, b, deletionOf, cards, edges } = setUp();
    card.feed.append(deletionOf(b));
    await expect.poll(cards).toMatchObject([{ id: b, position: null, deleted_at: expect.any(Date) }]);
    await expect(put(a, b)).rejects.toMatchObject(notFound);
    await expect(put(b, a)).rejects.toMatchObject(notFound);
    expect(await edges()).toEqual([]);
  });
});

describe('a cycle', () => {
  test('is refused with its identifiers, the dependent card at both ends', async () => {
    const { put, a, b, c, d, names, edges, events } = setUp();
    await put(a, b);
    await expect(put(b, a)).rejects.toMatchObject({ code: 'conflict', details: { path: names(b, a, b) } });
    await put(b, c);
    await put(c, d);
    await put(b, d);
    await expect(put(c, a)).rejects.toMatchObject({ details: { path: names(c, a, b, c) } });
    await expect(put(d, a)).rejects.toMatchObject({ details: { path: names(d, a, b, d) } });
    expect(await edges()).toHaveLength(4);
    expect(await events()).toHaveLength(4);
  });

  test('does not reveal the cards on it that the caller does not see', async () => {
    const { put, a, b, workspace_id, names, who } = setUp();
    const other = { ...who, user_id: v7() };
    const [hidden] = card.add(workspace_id, 1, { seenBy: [other.user_id] }) as [string];
    await put(a, hidden, other);
    await put(hidden, b, other);
    await expect(put(b, a)).rejects.toMatchObject({ code: 'conflict', details: { path: names(b, a, b) } });
    await expect(put(b, a, other)).rejects.toMatchObject({ details: { path: names(b, a, hidden, b) } });
  });

  test('does not exist any more once one of its dependencies is removed', async () => {
    const { put, remove, a, b, c } = setUp();
    await put(a, b);
    await put(b, c);
    await expect(put(c, a)).rejects.toMatchObject({ code: 'conflict' });
    await remove(a, b);
    await put(c, a);
    await expect(put(a, b)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('a card with a thousand dependencies', () => {
  test('refuses more, however many are put at once, keeps those that it has, and has room for one when one is removed', async () => {
    const { put, remove, a, b, workspace_id, edges } = setUp();
    const far = card.add(workspace_id, 10);
    await put(a, b);
    await harness.db.transaction((tx) =>
      sql`insert into edges (workspace_id, card_id, depends_on_card_id, version, created_at)
        select ${workspace_id}::uuid, ${a}::uuid, gen_random_uuid(), -n, now()
        from generate_series(1, 998) as n`.execute(tx),
    );
    const answers = await Promise.allSettled(far.map((to) => put(a, to)));
    const full = { code: 'conflict', message: 'There are at most 1000 dependencies of a card', details: undefined };
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toMatchObject(full);
    expect(await edges()).toHaveLength(1_000);

    expect(await put(a, b)).toMatchObject({ depends_on_card_id: b });
    expect(await put(far[0] as string, b), 'others may still depend on it').toMatchObject({ depends_on_card_id: b });
    await remove(a, b);
    await put(a, b);
    await expect(put(a, v7())).rejects.toMatchObject(notFound);
    expect((await edges()).filter(({ card_id }) => card_id === a)).toHaveLength(1_000);
  });
});

describe('delete', () => {
  test('removes a dependency, once, and emits its event', async () => {
    const { put, remove, a, b, edges, events, projected } = setUp();
    await put(a, b);
    expect(await remove(a, b)).toEqual({ deleted: true });
    expect(await edges()).toEqual([]);
    const changed = { aggregate_version: 2, data: { card_id: a, depends_on_card_id: b, exists: false } };
    expect(projected().at(-1)).toMatchObject(changed);
    expect(await remove(a, b)).toEqual({ deleted: true });
    expect((await events()).slice(1)).toMatchObject([changed]);
    expect(await put(a, b)).toMatchObject({ card_id: a });
    expect(await edges()).toMatchObject([{ version: 3 }]);
  });

  test('repeated hands its event over again, as of the last change, and appends none: the first may have crashed before that', async () => {
    const { put, remove, a, b, c, d, events, projected } = setUp();
    await put(a, b);
    await remove(a, b);
    await put(c, d);
    await remove(a, b);
    const gone = { card_id: a, depends_on_card_id: b, exists: false };
    expect(projected().slice(1)).toMatchObject([
      { aggregate_version: 2, data: gone },
      { aggregate_version: 3, data: { card_id: c, exists: true } },
      { aggregate_version: 3, data: gone },
    ]);
    expect(await events()).toHaveLength(3);
    await put(a, b);
    expect(projected().at(-1)).toMatchObject({ aggregate_version: 4, data: { ...gone, exists: true } });
  });

  test('of a dependency that never can have existed sends nothing to the projection', async () => {
    const { put, remove, handOverDeleted, a, b, c, d, projected } = setUp();
    await put(a, b);
    await put(a, c);
    await handOverDeleted(c);
    for (const [from, to] of [
      [a, c],
      [a, d],
      [d, a],
      [a, v7()],
    ] as const)
      expect(await remove(from, to)).toEqual({ deleted: true });
    expect(projected()).toHaveLength(2);
  });

  test('of a dependency that never existed succeeds where the card is visible, whatever the other one is', async () => {
    const { remove, a, b, cards } = setUp();
    for (const [from, to] of [
      [a, b],
      [a, a],
      [a, v7()],
    ] as const)
      expect(await remove(from, to)).toEqual({ deleted: true });
    expect(await cards()).toEqual([]);
  });

  test('of one on a card that the caller does not see does nothing, and answers as for an unknown card', async () => {
    const { put, remove, a, workspace_id, who, edges, events } = setUp();
    const other = { ...who, user_id: v7() };
    const [hidden] = card.add(workspace_id, 1, { seenBy: [other.user_id] }) as [string];
    await put(a, hidden, other);
    expect(await remove(a, hidden)).toEqual(await remove(a, v7()));
    expect([await edges(), await events()]).toMatchObject([[{ depends_on_card_id: hidden }], [{}]]);
    await remove(a, hidden, other);
    expect(await edges()).toEqual([]);
  });
});
