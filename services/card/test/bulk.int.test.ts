import {
  archiveBoard,
  type BulkCardsBody,
  bulkCards,
  type Caller,
  type Card,
  type CardinalError,
  createLabel,
  deleteLabel,
  getCard,
  patchBoard,
  patchCard,
} from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { aColumn, aWorkstream, create } from './support/builders.ts';
import { startAlone } from './support/fixture.ts';
import { startReal } from './support/real-service.ts';

const fixture = await startAlone({ instances: 2 });
await startReal(fixture, 'identifier');
const { bus } = fixture;

type Verb = Omit<BulkCardsBody, 'cards'>;

const named = (cards: readonly Card[]) => cards.map(({ id, version }) => ({ card: id, version }));

/** Asks for many cards; the parts of the answer together. */
const bulk = async (caller: Caller, cards: BulkCardsBody['cards'], verb: Verb, command = aCommand()) => {
  const items: Awaited<ReturnType<typeof part>>['items'] = [];
  const part = (from: number) =>
    bus.call(bulkCards, { ...caller, command, body: { cards: cards.slice(from), ...verb } });
  let replayed = true;
  while (items.length < cards.length) {
    const answer = await part(items.length);
    items.push(...answer.items);
    replayed &&= answer.replayed;
    expect(answer.next_cursor === null).toBe(items.length === cards.length);
  }
  return { items, replayed };
};

const setUp = async (count: number) => {
  const caller = aCaller();
  const { board, column } = await aColumn(fixture, caller);
  const made = Array.from({ length: count }, (_, at) => create(fixture, caller, column.id, { title: `Card ${at}` }));
  const cards = (await Promise.all(made)).map(({ resource }) => resource);
  return { caller, board, column, cards, read: (id: string) => bus.call(getCard, { ...caller, card_id: id }) };
};

const statusOf = (items: { status: number }[]) => items.map(({ status }) => status);

describe('many cards at once', () => {
  it('are transferred into one dense range in their order, and once where they are asked for again', async () => {
    const { caller, cards, read } = await setUp(100);
    const pay = await aWorkstream(fixture, caller, 'PAY');
    const command = aCommand();
    const ask = () => bulk(caller, named(cards), { transfer: { workstream_id: pay.id } }, command);
    const { items, replayed } = await ask();
    expect(replayed).toBe(false);
    expect(items.map(({ card, status }) => `${card} ${status}`)).toEqual(cards.map(({ id }) => `${id} 200`));
    const numbers = items.map(({ data }) => Number(data?.identifier.replace('PAY-', '')));
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
    expect(await read(cards[7]?.id ?? '')).toEqual(items[7]?.data);
    // Two at once, over two instances.
    for (const again of await Promise.all([ask(), ask()])) expect(again).toEqual({ items, replayed: true });
    const [next] = (
      await bulk(caller, named([(await create(fixture, caller, cards[0]?.column_id ?? '')).resource]), {
        transfer: { workstream_id: pay.id },
      })
    ).items;
    expect(next?.data?.identifier).toBe('PAY-101');
  });

  it('are done once where one key comes sixteen times at once, and each has the answer', async () => {
    const { caller, cards, read } = await setUp(20);
    const { resource: label } = await bus.call(createLabel, { ...caller, command: aCommand(), body: { name: 'One' } });
    const command = aCommand();
    const verb = { add_labels: [label.id] };
    const all = await Promise.all(Array.from({ length: 16 }, () => bulk(caller, named(cards), verb, command)));
    for (const { items } of all) expect(items).toEqual(all[0]?.items);
    expect(all[0]?.items.map(({ status, data }) => [status, data?.version])).toEqual(Array(20).fill([200, 2]));
    expect((await read(cards[19]?.id ?? '')).version).toBe(2);
  });

  it('are transferred once where many ask for the same ones, and the others are refused for their version', async () => {
    const { caller, cards } = await setUp(100);
    const pay = await aWorkstream(fixture, caller, 'PAY');
    const verb = { transfer: { workstream_id: pay.id } };
    const all = await Promise.all(Array.from({ length: 32 }, () => bulk(caller, named(cards), verb)));
    for (const at of cards.keys()) {
      const statuses = all.map(({ items }) => items[at]?.status);
      expect(statuses.toSorted()).toEqual([200, ...Array(31).fill(412)]);
    }
  });

  it('are answered for each as if it were asked for alone, and what was refused is tried again', async () => {
    const { caller, cards, read } = await setUp(5);
    const [fine, stale, , gone] = cards as [Card, Card, Card, Card];
    const other = aCaller(caller.workspace_id);
    const { board, column } = await aColumn(fixture, other);
    const { resource: hidden } = await create(fixture, other, column.id);
    await bus.call(patchBoard, {
      ...{ ...other, command: aCommand(), board_id: board.id, if_match: [1] },
      body: { visibility: 'private' as const },
    });
    const edit = { ...caller, card_id: stale.id, if_match: [1], body: { title: 'Newer' } };
    await bus.call(patchCard, { ...edit, command: aCommand() });
    const asked = [...named([fine, stale, hidden]), { card: v7(), version: 1 }, { card: gone.id, version: 7 }];
    const alone = async ({ card, version }: (typeof asked)[number]) =>
      bus.call(patchCard, { ...edit, command: aCommand(), card_id: card, if_match: [version] }).then(
        () => undefined,
        ({ code, message, details }: CardinalError) => ({ code, message, ...(details && { details }) }),
      );
    const expected = await Promise.all(asked.slice(1).map(alone));
    const command = aCommand();
    const first = await bulk(caller, asked, { patch: { title: 'Bulk' } }, command);
    expect(statusOf(first.items)).toEqual([200, 412, 404, 404, 412]);
    const errors = first.items.slice(1).map(({ error }) => error);
    expect(errors).toEqual(expected.map((error) => ({ ...error, request_id: expect.any(String) })));
    expect(first.items[0]).toEqual({ card: fine.id, status: 200, data: await read(fine.id) });

    await bus.call(patchCard, { ...edit, command: aCommand(), card_id: fine.id, if_match: [2] });
    // Once it is seen, what was not found is.
    await bus.call(patchBoard, {
      ...{ ...other, command: aCommand(), board_id: board.id, if_match: [2] },
      body: { visibility: 'workspace' as const },
    });
    const again = await bulk(caller, asked, { patch: { title: 'Bulk' } }, command);
    expect(statusOf(again.items)).toEqual([200, 412, 200, 404, 412]);
    expect(again.items[0]).toEqual(first.items[0]);
    expect(again.replayed).toBe(false);
    const misused = bus.call(bulkCards, {
      ...{ ...caller, command: { ...command, fingerprint: 'other' } },
      body: { cards: [{ card: gone.id, version: 1 }], archive: true },
    });
    await expect(misused).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('are moved in their order, archived and restored', async () => {
    const { caller, cards, board, column } = await setUp(6);
    const far = await aColumn(fixture, caller);
    const move = { column_id: far.column.id, position: 'end' as const };
    const moved = await bulk(caller, named(cards), { move });
    expect(statusOf(moved.items)).toEqual([200, 200, 200, 200, 200, 200]);
    const positions = moved.items.map(({ data }) => data?.position ?? 0);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    const now = moved.items.flatMap(({ data }) => data ?? []);
    const away = await bulk(caller, named(now), { archive: true });
    expect(away.items.every(({ data }) => data?.archived_at)).toBe(true);
    const archived = away.items.flatMap(({ data }) => data ?? []);
    const refused = await bulk(caller, named(archived), { move: { column_id: column.id } });
    expect(new Set(statusOf(refused.items))).toEqual(new Set([409]));
    const back = await bulk(caller, named(archived), { restore: true });
    expect(back.items.map(({ data }) => data?.archived_at)).toEqual(cards.map(() => null));
    await bus.call(archiveBoard, { ...caller, command: aCommand(), board_id: board.id, if_match: [1] });
    const live = back.items.flatMap(({ data }) => data ?? []);
    const shut = await bulk(caller, named(live), { move: { column_id: column.id } });
    expect(new Set(shut.items.map(({ error }) => error?.message))).toEqual(new Set(['The board is archived']));
  });

  it('get and lose labels and assignees without a version, all of them or none', async () => {
    const { caller, cards } = await setUp(3);
    const label = async () =>
      (await bus.call(createLabel, { ...caller, command: aCommand(), body: { name: 'bug' } })).resource;
    const [bug, late] = [await label(), await label()];
    const asked = cards.map(({ id }) => ({ card: id }));
    const command = aCommand();
    const put = { add_labels: [late.id, bug.id, late.id] };
    const first = await bulk(caller, asked, put, command);
    expect(first.items.map(({ data }) => [data?.version, data?.label_ids])).toEqual(
      cards.map(() => [2, [late.id, bug.id]]),
    );
    const unknown = await bulk(caller, asked, { add_labels: [bug.id, v7()] });
    expect(unknown.items.map(({ error }) => error?.message)).toEqual(cards.map(() => 'Label not found'));
    await bus.call(deleteLabel, { ...caller, command: aCommand(), label_id: late.id, if_match: [1] });
    expect(await bulk(caller, asked, put, command)).toEqual({ items: first.items, replayed: true });
    const users = [v7(), v7()];
    const assigned = await bulk(caller, [{ card: cards[0]?.id ?? '', version: 1 }, ...asked.slice(1)], {
      add_assignees: users,
    });
    expect(statusOf(assigned.items)).toEqual([412, 200, 200]);
    const left = await bulk(caller, asked, { remove_assignees: [users[0] ?? '', v7()] });
    expect(left.items.map(({ data }) => data?.assignee_user_ids)).toEqual([[], [users[1]], [users[1]]]);
    const bare = await bulk(caller, asked, { remove_labels: [bug.id] });
    expect(bare.items.flatMap(({ data }) => data?.label_ids)).toEqual([]);
  });

  it('of a message each in length are answered in parts', async () => {
    const { caller, cards } = await setUp(20);
    const patch = { description: '\u0001'.repeat(20_000) };
    const { items } = await bulk(caller, named(cards), { patch });
    expect(items.map(({ card, status }) => `${card} ${status}`)).toEqual(cards.map(({ id }) => `${id} 200`));
    expect(items.every(({ data }) => data?.version === 2 && data.description === patch.description)).toBe(true);
  });
});
