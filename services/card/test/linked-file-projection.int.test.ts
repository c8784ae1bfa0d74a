import {
  type Card,
  createBoard,
  createSubtask,
  deleteBoard,
  deleteCard,
  deleteSubtask,
  findSubtask,
  type InternalEventOf,
  linkedFileChanged,
  listSubtasks,
  patchSubtask,
  projectLinkedFile,
} from '@cardinal/contracts';
import { eventually } from '@cardinal/testkit';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;

type KeptFile = InternalEventOf<typeof linkedFileChanged>['data']['file'];
const plan = { id: v7(), name: 'plan.pdf', board_id: null };
const sketch = { id: v7(), name: 'sketch.png', board_id: null };
const shownAs = ({ id, name }: NonNullable<KeptFile>) => ({ id, name });

const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { who, order } = workspace;
  const { board, columns } = await workspace.board('Doing');
  const [card] = (await workspace.cards(columns[0]?.id ?? '', 'Card')) as [Card];
  const made = { ...order(), card_id: card.id, body: { title: 'Step' } };
  const subtask = (await bus.call(createSubtask, made)).resource;
  const event = (file: KeptFile, version: number, workspace_id = who.workspace_id) => ({
    ...{ id: v7(), type: linkedFileChanged.type, version: linkedFileChanged.version },
    ...{ occurred_at: new Date().toISOString(), workspace_id, request_id: 'test' },
    ...{ aggregate_id: subtask.id, aggregate_version: version },
    data: { subtask_id: subtask.id, card_id: card.id, file },
  });
  const project = async (...args: Parameters<typeof event>) =>
    (await bus.call(projectLinkedFile, event(...args))).applied;
  const subtasks = async (as = who) =>
    (await bus.call(listSubtasks, { ...as, card_id: card.id, page: { limit: 10 } })).items;
  const shown = async (as = who) => (await subtasks(as))[0]?.linked_file;
  const find = (as = who) => bus.call(findSubtask, { ...as, subtask_id: subtask.id });
  const removeSubtask = () => bus.call(deleteSubtask, { ...order(), subtask_id: subtask.id, if_match: [1] });
  const removeCard = () => bus.call(deleteCard, { ...order(), card_id: card.id, if_match: [2] });
  return {
    ...{ ...workspace, board, card, subtask, event, project },
    ...{ subtasks, shown, find, removeSubtask, removeCard },
  };
};

describe('project-linked-file', () => {
  it('shows, replaces and clears the file of a subtask, whose version rises each time; its card stays', async () => {
    const { card, subtask, project, subtasks, read } = await setUp();
    const counted = await read(card.id);
    const linked_files = [plan, sketch, null];
    for (const [index, file] of linked_files.entries()) {
      expect(await project(file, index + 1)).toBe(true);
      expect(await subtasks()).toEqual([
        { ...subtask, version: index + 2, linked_file: file && shownAs(file), updated_at: expect.any(String) },
      ]);
    }
    const [last] = await subtasks();
    expect((last?.updated_at ?? '') >= subtask.updated_at).toBe(true);
    expect(await read(card.id)).toEqual(counted);
  });

  it('counts every change of the link once, in whatever order the words of it come', async () => {
    const { project, subtasks } = await setUp();
    for (const version of [2, 1, 2, 5, 3, 4, 5]) await project({ ...plan, name: `${version}` }, version);
    expect(await subtasks()).toMatchObject([{ version: 6, linked_file: { name: '5' } }]);
  });

  it('gives no version twice to a subtask that is written at the same time', async () => {
    const { order, subtask, project, subtasks } = await setUp();
    const versions = new Set<number>();
    const edit = async (title: string): Promise<void> => {
      const [now] = await subtasks();
      const request = { ...order(), subtask_id: subtask.id, if_match: [now?.version ?? 0], body: { title } };
      const { resource } = await bus.call(patchSubtask, request).catch((error) => {
        if (error.code !== 'precondition_failed') throw error;
        return { resource: undefined };
      });
      if (!resource) return edit(title);
      expect(versions).not.toContain(resource.version);
      versions.add(resource.version);
    };
    const links = Array.from({ length: 20 }, (_, index) => index + 1);
    const edits = Array.from({ length: 5 }, (_, index) => `${index}`);
    await Promise.all([
      ...links.map((version) => project({ ...plan, name: `${version}` }, version)),
      ...edits.map(edit),
    ]);
    expect(await subtasks()).toMatchObject([{ version: 26, linked_file: { name: '20' } }]);
  });

  it('changes nothing by older words or the same ones again, also after the link was cleared', async () => {
    const { project, shown } = await setUp();
    expect(await project(sketch, 2)).toBe(true);
    expect([await project(plan, 1), await project(sketch, 2)]).toEqual([false, false]);
    expect(await shown()).toEqual(shownAs(sketch));
    expect(await project(null, 4)).toBe(true);
    expect([await project(plan, 3), await project(null, 4)]).toEqual([false, false]);
    expect(await shown()).toBeNull();
  });

  it('of several at once the newest one stays', async () => {
    const { project, shown } = await setUp();
    const versions = Array.from({ length: 20 }, (_, index) => index + 1);
    await Promise.all(versions.reverse().map((version) => project({ ...plan, name: `${version}.pdf` }, version)));
    expect(await shown()).toEqual({ id: plan.id, name: '20.pdf' });
  });

  it('says nothing of a subtask that is gone, by itself or with its card, or of another workspace', async () => {
    const [alone, whole, foreign] = [await setUp(), await setUp(), await setUp()];
    await alone.removeSubtask();
    await whole.removeCard();
    expect([await alone.project(plan, 1), await whole.project(plan, 1)]).toEqual([false, false]);
    expect(await alone.subtasks()).toEqual([]);
    expect(await foreign.project(plan, 1, alone.who.workspace_id)).toBe(false);
    expect(await foreign.shown()).toBeNull();
  });

  it('is done by events of the feed too', async () => {
    const { event, shown } = await setUp();
    fixture.feeds.attachment.append(event(plan, 1));
    await eventually(async () => expect(await shown()).toEqual(shownAs(plan)));
  });

  it('keeps a file of a board from who does not see that board', async () => {
    const { who, order, project, shown } = await setUp();
    const body = { name: 'Secret', visibility: 'private' as const };
    const { id: board_id } = (await bus.call(createBoard, { ...order(), body })).resource;
    await project({ ...plan, board_id }, 1);
    expect(await shown()).toEqual(shownAs(plan));
    expect(await shown({ ...who, user_id: v7() })).toBeNull();
    await bus.call(deleteBoard, { ...order(), board_id, if_match: [1] });
    expect(await shown()).toBeNull();
  });
});

describe('find-subtask', () => {
  const notFound = { code: 'not_found', message: 'Subtask not found' };

  it('tells the card of a subtask, and when the board of that is deleted', async () => {
    const { order, board, card, subtask, find } = await setUp();
    const found = { subtask_id: subtask.id, card_id: card.id, board_deleted: false };
    expect(await find()).toEqual(found);
    await bus.call(deleteBoard, { ...order(), board_id: board.id, if_match: [1] });
    expect(await find()).toEqual({ ...found, board_deleted: true });
  });

  it('finds none that is gone, by itself or with its card', async () => {
    const [alone, whole] = [await setUp(), await setUp()];
    await alone.removeSubtask();
    await whole.removeCard();
    for (const { find } of [alone, whole]) await expect(find()).rejects.toMatchObject(notFound);
  });
});
