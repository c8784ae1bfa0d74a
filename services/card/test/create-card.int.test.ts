import {
  archiveBoard,
  archiveColumn,
  archiveWorkstream,
  type Caller,
  createLabel,
  deleteLabel,
  getCard,
  listCards,
} from '@cardinal/contracts';
import { aCaller, aCommand } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { aColumn, aWorkstream, create } from './support/builders.ts';
import { startAlone } from './support/fixture.ts';
import { startReal } from './support/real-service.ts';

const fixture = await startAlone({ instances: 2 });
await startReal(fixture, 'identifier');

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('200 creates at once over two instances get the numbers 1 to 200 and 200 places', async () => {
  const caller = aCaller();
  const web = await aWorkstream(fixture, caller, 'WEB');
  const { column } = await aColumn(fixture, caller);
  const answers = await Promise.all(
    upTo(200).map((number) => create(fixture, caller, column.id, { title: `Card ${number}`, workstream_id: web.id })),
  );
  const cards = answers.map((answer) => answer.resource);
  const numbers = cards.map((card) => Number(card.identifier.replace('WEB-', '')));
  expect(numbers.sort((a, b) => a - b)).toEqual(upTo(200));
  expect(new Set(cards.map((card) => card.position)).size).toBe(200);
  expect(new Set(cards.map((card) => card.title)).size).toBe(200);
  expect(cards.every((card) => card.version === 1 && card.created_at === card.updated_at)).toBe(true);
});

test('20 equal creates at once make one card and get equal answers', async () => {
  const caller = aCaller();
  const { column } = await aColumn(fixture, caller);
  const command = aCommand();
  const answers = await Promise.all(upTo(20).map(() => create(fixture, caller, column.id, {}, command)));
  expect(answers.map((answer) => answer.resource)).toEqual(upTo(20).map(() => answers[0]?.resource));
  expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  expect((await create(fixture, caller, column.id)).resource.identifier).toBe('MAIN-2');
});

test('a card carries what its writer said, and reads as it was answered', async () => {
  const caller = aCaller();
  const { board, column } = await aColumn(fixture, caller);
  const body = {
    title: 'Ünïcode "quoted" \\ and 🚀',
    description: 'Two\nlines',
    due_date: '2027-03-04T05:06:07.890Z',
    priority: 'urgent' as const,
  };
  const { resource, replayed } = await create(fixture, caller, column.id, body);
  expect(replayed).toBe(false);
  expect(resource).toMatchObject({
    ...body,
    type: 'card',
    board_id: board.id,
    column_id: column.id,
    created_by: caller.user_id,
    identifier: 'MAIN-1',
    workstream: { name: 'Main', prefix: 'MAIN' },
    completed_at: null,
    archived_at: null,
    assignee_user_ids: [],
    comment_count: 0,
  });
  const asked = { ...caller, card_id: resource.id };
  expect(await fixture.bus.call(getCard, asked)).toEqual(resource);
});

describe('where the number comes from', () => {
  test("the board's default, where the writer names none", async () => {
    const caller = aCaller();
    const web = await aWorkstream(fixture, caller, 'WEB');
    const { column } = await aColumn(fixture, caller, web.id);
    expect((await create(fixture, caller, column.id)).resource.workstream).toEqual({
      id: web.id,
      name: 'WEB',
      prefix: 'WEB',
    });
  });

  test("the workspace's, where the board's default is archived", async () => {
    const caller = aCaller();
    const web = await aWorkstream(fixture, caller, 'WEB');
    const { column } = await aColumn(fixture, caller, web.id);
    await fixture.bus.call(archiveWorkstream, {
      ...caller,
      workstream_id: web.id,
      command: aCommand(),
      if_match: [web.version],
    });
    expect((await create(fixture, caller, column.id)).resource.identifier).toBe('MAIN-1');
  });
});

describe('what is refused', () => {
  test('an unknown workstream: 404, and its command may be tried again', async () => {
    const caller = aCaller();
    const { column } = await aColumn(fixture, caller);
    const command = aCommand();
    const body = { workstream_id: v7() };
    const refused = { code: 'not_found', message: 'Workstream not found' };
    await expect(create(fixture, caller, column.id, body, command)).rejects.toMatchObject(refused);
    await expect(create(fixture, caller, column.id, body, command)).rejects.toMatchObject(refused);
    expect((await create(fixture, caller, column.id, {}, command)).resource.identifier).toBe('MAIN-1');
  });

  test('an archived column and an archived board: 409, after the replay of what succeeded before', async () => {
    const caller = aCaller();
    const { column } = await aColumn(fixture, caller);
    const other = await aColumn(fixture, caller);
    const command = aCommand();
    const before = await create(fixture, caller, column.id, {}, command);
    await fixture.bus.call(archiveColumn, { ...caller, column_id: column.id, command: aCommand(), if_match: [1] });
    await fixture.bus.call(archiveBoard, { ...caller, board_id: other.board.id, command: aCommand(), if_match: [1] });
    await expect(create(fixture, caller, column.id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(create(fixture, caller, other.column.id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await create(fixture, caller, column.id, {}, command)).toEqual({ ...before, replayed: true });
  });

  test('refused members of a batch leave the others their cards', async () => {
    const caller = aCaller();
    const { column } = await aColumn(fixture, caller);
    const archived = await aColumn(fixture, caller);
    await fixture.bus.call(archiveColumn, {
      ...caller,
      column_id: archived.column.id,
      command: aCommand(),
      if_match: [1],
    });
    const wishes = [column.id, v7(), archived.column.id, column.id];
    const answers = await Promise.allSettled(wishes.map((columnId) => create(fixture, caller, columnId)));
    expect(answers).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'not_found' } },
      { status: 'rejected', reason: { code: 'conflict' } },
      { status: 'fulfilled' },
    ]);
    expect((await create(fixture, caller, column.id)).resource.identifier).toBe('MAIN-3');
  });
});

describe('a card that is made with marks', () => {
  const aLabel = async (caller: Caller) =>
    (await fixture.bus.call(createLabel, { ...caller, command: aCommand(), body: { name: 'bug' } })).resource;

  test('has each of them once, in a batch with cards that have none, and is found by them', async () => {
    const caller = aCaller();
    const { board, column } = await aColumn(fixture, caller);
    const [bug, other] = [await aLabel(caller), await aLabel(caller)];
    const users = [caller.user_id, v7()];
    const marks = {
      label_ids: [other.id, bug.id, other.id],
      assignee_user_ids: [...users, ...users],
    };
    const command = aCommand();
    const [plain, marked, labelled] = await Promise.all([
      create(fixture, caller, column.id),
      create(fixture, caller, column.id, marks, command),
      create(fixture, caller, column.id, { label_ids: [bug.id], assignee_user_ids: [] }),
    ]);
    expect(plain.resource).toMatchObject({ label_ids: [], assignee_user_ids: [] });
    expect(marked.resource).toMatchObject({ version: 1, label_ids: [other.id, bug.id], assignee_user_ids: users });
    expect(labelled.resource).toMatchObject({ label_ids: [bug.id], assignee_user_ids: [] });
    const { id: card_id } = marked.resource;
    expect(await fixture.bus.call(getCard, { ...caller, card_id })).toEqual(marked.resource);
    const filters = { label_id: other.id, assignee_user_id: 'me' as const };
    const list = { ...caller, board_id: board.id, filters, page: { limit: 10 } };
    expect((await fixture.bus.call(listCards, list)).items).toEqual([marked.resource]);
    const { version, id: label_id } = other;
    await fixture.bus.call(deleteLabel, { ...caller, command: aCommand(), label_id, if_match: [version] });
    expect(await create(fixture, caller, column.id, marks, command)).toEqual({ ...marked, replayed: true });
  });

  test('is not made at all where one of its labels is not there', async () => {
    const caller = aCaller();
    const { column } = await aColumn(fixture, caller);
    const bug = await aLabel(caller);
    const foreign = await aLabel(aCaller());
    for (const missing of [v7(), foreign.id]) {
      const made = create(fixture, caller, column.id, { label_ids: [bug.id, missing] });
      await expect(made).rejects.toMatchObject({ code: 'not_found', message: 'Label not found' });
    }
    expect((await create(fixture, caller, column.id, { label_ids: [bug.id] })).resource.identifier).toBe('MAIN-1');
  });

  test('never keeps a label that is deleted at the same time', async () => {
    const caller = aCaller();
    const { board, column } = await aColumn(fixture, caller);
    await create(fixture, caller, column.id);
    const doomed = await aLabel(caller);
    const label = { label_id: doomed.id, if_match: [doomed.version] };
    const makes = Array.from({ length: 30 }, () => create(fixture, caller, column.id, { label_ids: [doomed.id] }));
    const deletion = makes[3]?.then(() => fixture.bus.call(deleteLabel, { ...caller, command: aCommand(), ...label }));
    const more = makes[3]?.then(() =>
      Promise.allSettled(
        Array.from({ length: 30 }, () => create(fixture, caller, column.id, { label_ids: [doomed.id] })),
      ),
    );
    await Promise.allSettled([...makes, deletion, more]);
    await deletion;
    const list = { ...caller, board_id: board.id, filters: {}, page: { limit: 100 } };
    const { items } = await fixture.bus.call(listCards, list);
    expect(items.length).toBeGreaterThan(1);
    expect(items.flatMap((card) => card.label_ids)).toEqual([]);
  });
});
