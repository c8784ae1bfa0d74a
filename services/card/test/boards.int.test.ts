import {
  archiveBoard,
  createBoard,
  createColumn,
  deleteBoard,
  getBoard,
  listBoards,
  listCards,
  listColumns,
  patchBoard,
  patchCard,
  restoreBoard,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus, identifier } = fixture;

describe('create-board', () => {
  it('makes one board of a command, however often it comes', async () => {
    const { order } = openWorkspace(bus);
    const request = { ...order(), body: { name: 'Roadmap' } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => bus.call(createBoard, request)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.resource))).size).toBe(1);
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
    expect(answers[0]?.resource).toMatchObject({ type: 'board', version: 1, name: 'Roadmap', visibility: 'workspace' });
    expect(await bus.call(getBoard, { ...order(), board_id: answers[0]?.resource.id ?? '' })).toEqual(
      answers[0]?.resource,
    );
  });

  it('takes an active workstream as its default, and no other', async () => {
    const { who, order } = openWorkspace(bus);
    const active = identifier.add(who.workspace_id, 'WEB');
    const archived = identifier.add(who.workspace_id, 'OLD', { archived_at: new Date().toISOString() });
    const create = (id: string) =>
      bus.call(createBoard, { ...order(), body: { name: 'A', default_workstream_id: id } });
    expect((await create(active.id)).resource.default_workstream_id).toBe(active.id);
    await expect(create(archived.id)).rejects.toMatchObject({ code: 'conflict' });
    await expect(create(v7())).rejects.toMatchObject({ code: 'not_found' });
    expect((await bus.call(listBoards, { ...who, archived: false, page: { limit: 10 } })).items).toHaveLength(1);
  });
});

describe('patch-board', () => {
  it('counts the version up for a change and leaves it for none', async () => {
    const { order, board: make } = openWorkspace(bus);
    const { board } = await make();
    const patch = (version: number, name: string) =>
      bus.call(patchBoard, { ...order(), board_id: board.id, if_match: [version], body: { name } });
    const renamed = await patch(1, 'Renamed');
    expect(renamed.resource).toMatchObject({ name: 'Renamed', version: 2 });
    expect((await patch(2, 'Renamed')).resource).toEqual(renamed.resource);
    await expect(patch(1, 'Late')).rejects.toMatchObject({
      code: 'precondition_failed',
      details: { current_version: 2 },
    });
  });

  it('names a stale version before an archived workstream', async () => {
    const { who, order, board: make } = openWorkspace(bus);
    const { board } = await make();
    const { id } = identifier.add(who.workspace_id, 'OLD', { archived_at: new Date().toISOString() });
    const patch = (board_id: string, version: number) =>
      bus.call(patchBoard, { ...order(), board_id, if_match: [version], body: { default_workstream_id: id } });
    await expect(patch(v7(), 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(patch(board.id, 7)).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(patch(board.id, 1)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('archive-board and restore-board', () => {
  it('are states to reach: a second time changes nothing', async () => {
    const { who, order, board: make } = openWorkspace(bus);
    const { board } = await make();
    const write = (contract: typeof archiveBoard, version: number) =>
      bus.call(contract, { ...order(), board_id: board.id, if_match: [version] });
    const archived = await write(archiveBoard, 1);
    expect(archived.resource.archived_at).not.toBeNull();
    expect((await write(archiveBoard, 2)).resource).toEqual(archived.resource);
    const list = (archived: boolean) => bus.call(listBoards, { ...who, archived, page: { limit: 10 } });
    expect((await list(false)).items).toEqual([]);
    expect((await list(true)).items).toEqual([archived.resource]);
    const restored = await write(restoreBoard, 2);
    expect(restored.resource).toMatchObject({ version: 3, archived_at: null });
    expect((await write(restoreBoard, 3)).resource).toEqual(restored.resource);
  });

  it('an archived board takes no new columns', async () => {
    const { order, board: make } = openWorkspace(bus);
    const { board } = await make();
    await bus.call(archiveBoard, { ...order(), board_id: board.id, if_match: [1] });
    const create = bus.call(createColumn, { ...order(), board_id: board.id, body: { name: 'Late' } });
    await expect(create).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('delete-board', () => {
  it('leaves the cards readable and closed to writes, and everything else gone', async () => {
    const { who, order, board: make, cards, read } = openWorkspace(bus);
    const { board, columns } = await make('Doing');
    const [card] = await cards(columns[0]?.id ?? '', 'Kept');
    const request = { ...order(), board_id: board.id, if_match: [1] };
    expect(await bus.call(deleteBoard, request)).toEqual({ deleted: true });
    expect(await bus.call(deleteBoard, request), 'a repetition by the bus').toEqual({ deleted: true });

    const gone = { code: 'not_found' };
    const page = { limit: 10 };
    await expect(bus.call(deleteBoard, { ...request, ...order() })).rejects.toMatchObject(gone);
    await expect(bus.call(getBoard, { ...who, board_id: board.id })).rejects.toMatchObject(gone);
    await expect(bus.call(listColumns, { ...who, board_id: board.id, archived: false, page })).rejects.toMatchObject(
      gone,
    );
    const listing = { ...who, board_id: board.id, filters: { archived: false }, page };
    await expect(bus.call(listCards, listing)).rejects.toMatchObject(gone);
    const create = bus.call(createColumn, { ...order(), board_id: board.id, body: { name: 'Late' } });
    await expect(create).rejects.toMatchObject(gone);

    expect(await read(card?.id ?? '')).toEqual(card);
    const edit = { ...order(), card_id: card?.id ?? '', if_match: [1], body: { title: 'Late' } };
    await expect(bus.call(patchCard, edit)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('needs the current version', async () => {
    const { order, board: make } = openWorkspace(bus);
    const { board } = await make();
    const remove = (if_match: number[]) => bus.call(deleteBoard, { ...order(), board_id: board.id, if_match });
    await expect(remove([])).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(remove([2])).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(await remove([2, 1])).toEqual({ deleted: true });
  });
});

describe('list-boards', () => {
  it('goes through all boards of the workspace, each once, in the order of their making', async () => {
    const workspace = openWorkspace(bus);
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await workspace.board()).board.id);
    await openWorkspace(bus).board();

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = { limit: 2, cursor };
      const answer = await bus.call(listBoards, { ...workspace.who, archived: false, page });
      seen.push(...answer.items.map((board) => board.id));
      cursor = answer.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(made);
  });

  it('refuses a cursor of another workspace', async () => {
    const workspace = openWorkspace(bus);
    await workspace.board();
    await workspace.board();
    const list = (who: { workspace_id: string; user_id: string }, cursor?: string) =>
      bus.call(listBoards, { ...who, archived: false, page: { limit: 1, cursor } });
    const { next_cursor } = await list(workspace.who);
    const other = openWorkspace(bus).who;
    await expect(list(other, next_cursor ?? '')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
