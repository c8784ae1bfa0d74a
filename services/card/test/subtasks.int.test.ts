import {
  archiveCard,
  type Card,
  createSubtask,
  deleteBoard,
  deleteCard,
  deleteSubtask,
  listSubtasks,
  type PatchSubtaskBody,
  patchSubtask,
  type Subtask,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture({ instances: 2 });
const { bus } = fixture;

/** A card with subtasks of these titles, from the first to the last. */
const setUp = async (...titles: string[]) => {
  const workspace = openWorkspace(bus);
  const { order, who } = workspace;
  const { board, columns } = await workspace.board('Doing');
  const [card] = (await workspace.cards(columns[0]?.id ?? '', 'Card')) as [Card];
  const make = async (title: string) =>
    (await bus.call(createSubtask, { ...order(), card_id: card.id, body: { title } })).resource;
  const page = (limit = 100, cursor?: string) =>
    bus.call(listSubtasks, { ...who, card_id: card.id, page: { limit, cursor } });
  const list = async () => (await page()).items;
  const find = async (title: string) => (await list()).find((one) => one.title === title) as Subtask;
  const patch = async (title: string, body: PatchSubtaskBody) => {
    const { id, version } = await find(title);
    return (await bus.call(patchSubtask, { ...order(), subtask_id: id, if_match: [version], body })).resource;
  };
  const remove = (subtask_id: string, if_match = [1]) => bus.call(deleteSubtask, { ...order(), subtask_id, if_match });
  const made: Subtask[] = [];
  for (const title of titles) made.push(await make(title));
  const names = async () => (await list()).map((one) => one.title).join('');
  return {
    order,
    who,
    board,
    card,
    made,
    make,
    page,
    list,
    find,
    patch,
    remove,
    names,
    read: () => workspace.read(card.id),
  };
};

describe('create-subtask', () => {
  it('makes the last subtask of the card, which counts it', async () => {
    const { card, made, list, read } = await setUp('A', 'B', 'C');
    expect(made[0]).toEqual({
      ...{ id: made[0]?.id, type: 'subtask', version: 1, card_id: card.id, title: 'A', completed_at: null },
      ...{ position: made[0]?.position, linked_file: null },
      ...{ created_at: made[0]?.created_at, updated_at: made[0]?.created_at },
    });
    expect(await list()).toEqual(made);
    expect(await read()).toMatchObject({ version: 4, subtask_total: 3, subtask_completed: 0 });
  });

  it('of 50 at once gives 50 places and counts 50', async () => {
    const { make, list, read } = await setUp();
    await Promise.all(Array.from({ length: 50 }, (_, index) => make(`${index}`)));
    expect(new Set((await list()).map(({ position }) => position)).size).toBe(50);
    expect(await read()).toMatchObject({ subtask_total: 50, version: 51 });
  });

  it('works on an archived card, and not on one of a deleted board', async () => {
    const { order, card, board, make, list } = await setUp();
    await bus.call(archiveCard, { ...order(), card_id: card.id, if_match: [1] });
    const made = await make('Late');
    await bus.call(deleteBoard, { ...order(), board_id: board.id, if_match: [1] });
    await expect(make('Later')).rejects.toMatchObject({ code: 'conflict' });
    await expect(bus.call(deleteSubtask, { ...order(), subtask_id: made.id, if_match: [1] })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await list()).toEqual([made]);
  });
});

describe('patch-subtask', () => {
  it('completes it once, and the card counts it; a second time changes nothing', async () => {
    const { patch, read } = await setUp('A', 'B');
    const done = await patch('A', { completed: true });
    expect(done).toMatchObject({ version: 2, completed_at: done.updated_at });
    const counted = await read();
    expect(counted).toMatchObject({ version: 4, subtask_total: 2, subtask_completed: 1 });
    expect(await patch('A', { completed: true })).toEqual(done);
    expect(await read()).toEqual(counted);
    expect(await patch('A', { completed: false })).toMatchObject({ version: 3, completed_at: null });
    expect(await read()).toMatchObject({ version: 5, subtask_completed: 0 });
  });

  it('renames and moves it without a word to the card', async () => {
    const { patch, read, names } = await setUp('A', 'B', 'C');
    const card = await read();
    expect(await patch('A', { title: 'Z', position: 'end' })).toMatchObject({ version: 2, title: 'Z' });
    expect(await names()).toBe('BCZ');
    expect(await read()).toEqual(card);
  });

  it('moves it to the start, the end, before and after another, and above the one that holds a number', async () => {
    const { patch, names, find } = await setUp('A', 'B', 'C', 'D');
    const id = async (title: string) => (await find(title)).id;
    await patch('D', { position: 'start' });
    expect(await names()).toBe('DABC');
    await patch('D', { position: 'end' });
    expect(await names()).toBe('ABCD');
    await patch('A', { after_subtask_id: await id('C') });
    expect(await names()).toBe('BCAD');
    await patch('D', { before_subtask_id: await id('C') });
    expect(await names()).toBe('BDCA');
    await patch('A', { position: (await find('D')).position });
    expect(await names()).toBe('BADC');
    const stays = await find('A');
    expect(await patch('A', { after_subtask_id: await id('B') }), 'where it stands already').toEqual(stays);
    expect((await patch('A', { position: 1e308 })).position).toBe(1e308);
  });

  it('goes only beside another subtask of its card', async () => {
    const { patch, find, list } = await setUp('A', 'B');
    const foreign = (await setUp('X')).made[0]?.id ?? '';
    const before = await list();
    const itself = (await find('A')).id;
    for (const id of [foreign, v7(), itself]) {
      await expect(patch('A', { before_subtask_id: id })).rejects.toMatchObject({
        code: 'validation_error',
        details: [{ path: ['before_subtask_id'] }],
      });
      await expect(patch('A', { title: 'New', after_subtask_id: id })).rejects.toMatchObject({
        details: [{ path: ['after_subtask_id'] }],
      });
    }
    expect(await list()).toEqual(before);
  });

  it('keeps positions unique when all move at once', async () => {
    const titles = [...'ABCDEFGHIJKL'];
    const { patch, list } = await setUp(...titles);
    await Promise.all(titles.map((title, index) => patch(title, { position: index % 3 ? 'start' : 5 })));
    expect(new Set((await list()).map(({ position }) => position)).size).toBe(titles.length);
  });

  it('finds room in a full gap, and the others keep their versions', async () => {
    const { patch, names, find } = await setUp('A', 'B', 'X');
    await patch('B', { position: 1 + Number.EPSILON });
    await patch('A', { position: 1 });
    // The number that it gets between the two once they have been given room.
    await patch('X', { position: 1.5 });
    const b = await find('B');
    await patch('X', { before_subtask_id: b.id });
    expect(await names()).toBe('AXB');
    expect(await find('B'), 'all but the moved have a new number').toEqual({ ...b, position: 2 });
  });
});

describe('list-subtasks', () => {
  it('goes through all in their order, each once, also over a rebalancing', async () => {
    const { patch, page, find, names } = await setUp('A', 'B', 'C', 'D', 'E');
    for (const [title, position] of Object.entries({ B: 1 + Number.EPSILON, A: 1, C: 1.5, D: 1.6, E: 1.7 })) {
      await patch(title, { position });
    }
    const first = await page(3);
    await patch('E', { before_subtask_id: (await find('B')).id });
    expect(await names()).toBe('AEBCD');
    expect((await find('B')).position, 'a rebalancing took place').toBe(2);
    const rest = await page(3, first.next_cursor ?? '');
    expect([first, rest].map(({ items }) => items.map(({ title }) => title).join(''))).toEqual(['ABC', 'D']);
    expect(rest.next_cursor).toBeNull();
  });

  it('refuses the cursor of another card', async () => {
    const [one, other] = [await setUp('A', 'B'), await setUp('A', 'B')];
    const { next_cursor } = await one.page(1);
    await expect(other.page(1, next_cursor ?? '')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('delete-subtask', () => {
  it('takes it away with its count, and a repetition by the bus changes nothing', async () => {
    const { order, patch, remove, read, names } = await setUp('A', 'B');
    const done = await patch('A', { completed: true });
    await expect(remove(done.id, [1])).rejects.toMatchObject({ code: 'precondition_failed' });
    const request = { ...order(), subtask_id: done.id, if_match: [2] };
    expect(await bus.call(deleteSubtask, request)).toEqual({ deleted: true });
    expect(await bus.call(deleteSubtask, request)).toEqual({ deleted: true });
    await expect(remove(done.id)).rejects.toMatchObject({ code: 'not_found', message: 'Subtask not found' });
    expect(await read()).toMatchObject({ version: 5, subtask_total: 1, subtask_completed: 0 });
    expect(await names()).toBe('B');
  });

  it('happens with the card', async () => {
    const { order, card, made, page, remove } = await setUp('A');
    await bus.call(deleteCard, { ...order(), card_id: card.id, if_match: [2] });
    await expect(page()).rejects.toMatchObject({ code: 'not_found', message: 'Card not found' });
    await expect(remove(made[0]?.id ?? '')).rejects.toMatchObject({ message: 'Subtask not found' });
  });
});

it('the counts are those of the subtasks, whatever is done to them at once', async () => {
  const titles = Array.from({ length: 20 }, (_, index) => `${index}`);
  const { made, make, order, remove, read, list } = await setUp(...titles);
  const complete = ({ id }: Subtask, completed: boolean) =>
    bus.call(patchSubtask, { ...order(), subtask_id: id, if_match: [1, 2, 3], body: { completed } });
  await Promise.allSettled(
    made.flatMap((one, index) => [
      complete(one, true),
      complete(one, index % 2 === 0),
      index % 3 === 0 ? remove(one.id, [1, 2, 3]) : make(`New ${index}`),
    ]),
  );
  const left = await list();
  const completed = left.filter((one) => one.completed_at !== null);
  expect(left).toHaveLength(26);
  expect(await read()).toMatchObject({ subtask_total: left.length, subtask_completed: completed.length });
});
