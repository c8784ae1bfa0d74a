import {
  archiveColumn,
  type Column,
  createCard,
  createColumn,
  listColumns,
  patchColumn,
  restoreColumn,
} from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;

const list = async ({ who }: Workspace, boardId: string, archived = false) =>
  (await bus.call(listColumns, { ...who, board_id: boardId, archived, page: { limit: 100 } })).items;

const names = async (workspace: Workspace, boardId: string) =>
  (await list(workspace, boardId)).map((column) => column.name);

const versionOf = async (workspace: Workspace, column: Column) =>
  (await list(workspace, column.board_id)).find((found) => found.id === column.id)?.version ?? 0;

const move = async (workspace: Workspace, column: Column, position: number | 'start' | 'end') =>
  bus.call(patchColumn, {
    ...workspace.order(),
    column_id: column.id,
    if_match: [await versionOf(workspace, column)],
    body: { position },
  });

describe('create-column', () => {
  it('puts new columns last, also when many are made at once', async () => {
    const workspace = openWorkspace(bus);
    const { board } = await workspace.board('First');
    const wanted = Array.from({ length: 20 }, (_, index) => `Column ${index}`);
    await Promise.all(
      wanted.map((name) => bus.call(createColumn, { ...workspace.order(), board_id: board.id, body: { name } })),
    );
    const columns = await list(workspace, board.id);
    expect(columns[0]?.name).toBe('First');
    expect(new Set(columns.map((column) => column.name))).toEqual(new Set(['First', ...wanted]));
    expect(new Set(columns.map((column) => column.position)).size).toBe(21);
  });
});

describe('patch-column', () => {
  it('moves a column to the start, to the end, and above the one that holds a number', async () => {
    const workspace = openWorkspace(bus);
    const { board, columns } = await workspace.board('A', 'B', 'C');
    const [a, b, c] = columns as [Column, Column, Column];
    await move(workspace, c, 'start');
    expect(await names(workspace, board.id)).toEqual(['C', 'A', 'B']);
    await move(workspace, c, 'end');
    expect(await names(workspace, board.id)).toEqual(['A', 'B', 'C']);
    await move(workspace, a, (await list(workspace, board.id))[2]?.position ?? 0);
    expect(await names(workspace, board.id)).toEqual(['B', 'A', 'C']);
    const moved = await move(workspace, b, 1e308);
    expect(moved.resource.position).toBe(1e308);
    expect(await names(workspace, board.id)).toEqual(['A', 'C', 'B']);
  });

  it('leaves the version where nothing changes', async () => {
    const workspace = openWorkspace(bus);
    const { columns } = await workspace.board('A', 'B');
    const [a] = columns as [Column];
    const same = {
      ...workspace.order(),
      column_id: a.id,
      if_match: [1],
      body: { name: 'A', position: 'start' as const },
    };
    expect((await bus.call(patchColumn, same)).resource).toEqual(a);
    const late = { ...workspace.order(), column_id: a.id, if_match: [2], body: { name: 'Z' } };
    await expect(bus.call(patchColumn, late)).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  it('finds room in a full gap, and the others keep their versions', async () => {
    const workspace = openWorkspace(bus);
    const { board, columns } = await workspace.board('A', 'B', 'C');
    const [a, b, c] = columns as [Column, Column, Column];
    await move(workspace, b, 1024);
    const { resource: last } = await move(workspace, c, 1024 * (1 + Number.EPSILON));
    await move(workspace, a, last.position);
    expect(await names(workspace, board.id)).toEqual(['B', 'A', 'C']);
    const bottom = (await list(workspace, board.id))[2];
    expect(bottom?.position, 'a rebalancing took place').not.toBe(last.position);
    expect(bottom).toEqual({ ...last, position: bottom?.position });
  });

  it('keeps positions unique when all columns move at once', async () => {
    const workspace = openWorkspace(bus);
    const { board, columns } = await workspace.board(...Array.from({ length: 12 }, (_, index) => `${index}`));
    await Promise.all(columns.map((column, index) => move(workspace, column, index % 2 ? 'start' : 5)));
    const positions = (await list(workspace, board.id)).map((column) => column.position);
    expect(new Set(positions).size).toBe(12);
  });
});

describe('archive-column and restore-column', () => {
  it('are states to reach; an archived column keeps its place and takes no cards', async () => {
    const workspace = openWorkspace(bus);
    const { board, columns } = await workspace.board('A', 'B');
    const [a] = columns as [Column];
    const write = (contract: typeof archiveColumn, version: number) =>
      bus.call(contract, { ...workspace.order(), column_id: a.id, if_match: [version] });
    const archived = await write(archiveColumn, 1);
    expect((await write(archiveColumn, 2)).resource).toEqual(archived.resource);
    expect(await names(workspace, board.id)).toEqual(['B']);
    expect(await list(workspace, board.id, true)).toEqual([archived.resource]);
    const create = bus.call(createCard, { ...workspace.order(), column_id: a.id, body: { title: 'Late' } });
    await expect(create).rejects.toMatchObject({ code: 'conflict' });
    const restored = await write(restoreColumn, 2);
    expect((await write(restoreColumn, 3)).resource).toEqual(restored.resource);
    expect(await names(workspace, board.id)).toEqual(['A', 'B']);
  });
});

describe('list-columns', () => {
  it('goes through all columns of the board page by page', async () => {
    const workspace = openWorkspace(bus);
    const { board, columns } = await workspace.board('A', 'B', 'C', 'D', 'E');
    const seen: Column[] = [];
    let cursor: string | undefined;
    do {
      const request = { ...workspace.who, board_id: board.id, archived: false, page: { limit: 2, cursor } };
      const answer = await bus.call(listColumns, request);
      seen.push(...answer.items);
      cursor = answer.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(columns);
  });
});
