import { sharedStack } from '@cardinal/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CardinalClient, createClient } from '../src/index.ts';

let client: CardinalClient;
beforeAll(async () => {
  const stack = await sharedStack();
  client = createClient({ baseUrl: stack.baseUrl, token: await stack.token() });
});

const missing = { status: 404, code: 'not_found' };

describe('the SDK on the real API', () => {
  it('does all that boards and columns can', async () => {
    let board = await client.boards.create({ name: 'Payments' });
    expect(await client.boards.get(board.id)).toEqual(board);
    board = await client.boards.update(board, { name: 'Money' });
    let column = await client.columns.create(board.id, { name: 'To do' });
    await client.columns.create(board.id, { name: 'Done' });
    column = await client.columns.update(column, { position: 'end' });
    expect((await client.columns.list(board.id).all()).map(({ name }) => name)).toEqual(['Done', 'To do']);
    column = await client.columns.archive(column);
    expect(await client.columns.list(board.id, { archived: true }).all()).toEqual([column]);
    expect((await client.columns.restore(column)).archived_at).toBeNull();
    board = await client.boards.archive(board);
    expect((await client.boards.list({ archived: true }).all()).map(({ id }) => id)).toContain(board.id);
    board = await client.boards.restore(board);
    await client.boards.delete(board);
    await expect(client.boards.get(board.id)).rejects.toMatchObject(missing);
  });

  it('does all that cards and workstreams can', async () => {
    const board = await client.boards.create({ name: 'Tour' });
    const column = await client.columns.create(board.id, { name: 'To do' });
    const done = await client.columns.create(board.id, { name: 'Done' });
    let pay = await client.workstreams.create({ name: 'Pay', prefix: 'pay' });
    pay = await client.workstreams.update(pay, { description: 'Everything about money' });
    expect(await client.workstreams.get(pay.id)).toEqual(pay);

    let card = await client.cards.create(column.id, { title: 'Refund', priority: 'urgent' });
    const former = card.identifier;
    card = await client.cards.transfer(card, pay.id);
    expect(card.identifier).toBe('PAY-1');
    expect(await client.cards.resolve(former.toLowerCase())).toMatchObject({
      card,
      is_alias: true,
      current_identifier: 'PAY-1',
    });
    expect((await client.cards.identifiers(card.id).all()).map(({ identifier }) => identifier)).toEqual([
      former,
      'PAY-1',
    ]);

    card = await client.cards.update(card, { completed: true, due_date: '2026-02-01T00:00:00+02:00' });
    card = await client.cards.move(card, { column_id: done.id, position: 'end' });
    expect(await client.cards.get(card.id)).toEqual(card);
    expect(await client.cards.list(board.id, { completed: true, column_id: done.id, q: 'fund' }).all()).toEqual([card]);
    expect(await client.cards.list(board.id, { completed: false }).all()).toEqual([]);
    card = await client.cards.archive(card);
    expect(await client.cards.list(board.id, { archived: true }).all()).toEqual([card]);
    card = await client.cards.restore(card);

    expect((await client.workstreams.archive(pay)).archived_at).not.toBeNull();
    expect((await client.workstreams.list({ archived: true }).all()).map(({ prefix }) => prefix)).toEqual(['PAY']);
    await client.cards.delete(card);
    await expect(client.cards.resolve('PAY-1')).rejects.toMatchObject(missing);
  });

  it('does all that hangs on cards', async () => {
    const me = crypto.randomUUID();
    const board = await client.boards.create({ name: 'Hangs', visibility: 'private' });
    expect(await client.boards.addMember(board.id, me)).toMatchObject({ board_id: board.id, user_id: me });
    expect(await client.boards.removeMember(board.id, me)).toBeUndefined();
    const column = await client.columns.create(board.id, { name: 'To do' });
    let card = await client.cards.create(column.id, { title: 'Refund' });

    card = await client.cards.assign(card.id, me);
    expect(card.assignee_user_ids).toEqual([me]);
    await client.cards.unassign(card.id, me);
    let label = await client.labels.create({ name: 'bug', colour: '#D73A4A' });
    label = await client.labels.update(label, { name: 'defect' });
    expect(await client.labels.list().all()).toContainEqual(label);
    card = await client.cards.addLabel(card.id, label.id);
    expect(await client.cards.list(board.id, { label_id: label.id }).all()).toEqual([card]);
    await client.cards.removeLabel(card.id, label.id);
    await client.labels.delete(label);

    let comment = await client.comments.create(card.id, { body: 'Why twice?' });
    comment = await client.comments.update(comment, { body: 'Why?' });
    expect(await client.comments.list(card.id).all()).toEqual([comment]);
    let subtask = await client.subtasks.create(card.id, { title: 'Ask the bank' });
    subtask = await client.subtasks.update(subtask, { completed: true });
    expect(await client.subtasks.list(card.id).all()).toEqual([subtask]);
    expect(await client.cards.get(card.id)).toMatchObject({
      assignee_user_ids: [],
      label_ids: [],
      comment_count: 1,
      subtask_total: 1,
      subtask_completed: 1,
    });
    await client.comments.delete(comment);
    await client.subtasks.delete(subtask);
    expect(await client.cards.get(card.id)).toMatchObject({ comment_count: 0, subtask_total: 0 });
  });

  it('declares dependencies and lists them from both ends', async () => {
    const board = await client.boards.create({ name: 'Waits' });
    const column = await client.columns.create(board.id, { name: 'To do' });
    const first = await client.cards.create(column.id, { title: 'First' });
    const then = await client.cards.create(column.id, { title: 'Then' });
    const edge = await client.dependencies.add(then.id, first.id);
    expect(edge).toMatchObject({ card_id: then.id, depends_on_card_id: first.id });
    expect(await client.dependencies.add(then.id, first.id)).toEqual(edge);
    const ids = (entries: { card: { id: string } }[]) => entries.map((entry) => entry.card.id);
    expect(ids(await client.dependencies.list(then.id).all())).toEqual([first.id]);
    expect(ids(await client.dependencies.dependents(first.id).all())).toEqual([then.id]);
    await expect(client.dependencies.add(first.id, then.id)).rejects.toMatchObject({
      status: 409,
      details: { path: expect.arrayContaining([first.identifier, then.identifier]) },
    });
    await client.dependencies.remove(then.id, first.id);
    expect(await client.dependencies.list(then.id).all()).toEqual([]);
  });

  it('walks through more cards than one page holds', async () => {
    const board = await client.boards.create({ name: 'Long' });
    const column = await client.columns.create(board.id, { name: 'To do' });
    for (const title of ['a', 'b', 'c', 'd', 'e']) await client.cards.create(column.id, { title });
    const titles: string[] = [];
    for await (const { title } of client.cards.list(board.id, {}, { pageSize: 2 })) titles.push(title);
    expect(titles).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it('repeats a create under one key without a second card, and tells of a stale version', async () => {
    const board = await client.boards.create({ name: 'Twice' });
    const column = await client.columns.create(board.id, { name: 'To do' });
    const replays: boolean[] = [];
    const once = { idempotencyKey: 'once', onReply: ({ replayed }: { replayed: boolean }) => replays.push(replayed) };
    const card = await client.cards.create(column.id, { title: 'One' }, once);
    expect(await client.cards.create(column.id, { title: 'One' }, once)).toEqual(card);
    expect(replays).toEqual([false, true]);
    await client.cards.update(card, { title: 'Two' });
    await expect(client.cards.update(card, { title: 'Three' })).rejects.toMatchObject({
      status: 412,
      code: 'precondition_failed',
      details: { current_version: 2 },
      requestId: expect.any(String),
    });
  });
});
