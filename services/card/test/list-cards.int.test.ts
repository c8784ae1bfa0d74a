import {
  archiveCard,
  archiveColumn,
  type Card,
  type CardFilters,
  createCard,
  projectDependency,
} from '@cardinal/contracts';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { dependencyEvent } from './support/dependency-event.ts';
import { startFixture } from './support/fixture.ts';
import { setUpBoard, walk } from './support/listing.ts';
import { openWorkspace, type Workspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus, identifier } = fixture;
const { db } = fixture.instance;
const setUp = () => setUpBoard(bus);

describe('the order', () => {
  it('is by column, then by position, over any page size', async () => {
    const { workspace, board } = await setUp();
    for (const limit of [1, 2, 3, 7, 100]) {
      const seen = await walk(workspace, board.id, { limit });
      expect(seen.map((card) => card.title).join('')).toBe('ABCDEFG');
    }
  });

  it('ends with a page that is full and last', async () => {
    const { workspace, board } = await setUp();
    expect((await workspace.page(board.id, {}, 7)).next_cursor).toBeNull();
    expect((await workspace.page(board.id, {}, 6)).next_cursor).not.toBeNull();
  });

  it('keeps the active cards of an archived column', async () => {
    const { workspace, board, one } = await setUp();
    await bus.call(archiveColumn, { ...workspace.order(), column_id: one.id, if_match: [1] });
    expect((await workspace.titles(board.id)).join('')).toBe('ABCDEFG');
  });

  it('knows nothing of other boards and workspaces', async () => {
    const { workspace, board } = await setUp();
    const other = openWorkspace(bus);
    const empty = await workspace.board('Nothing');
    expect(await workspace.titles(empty.board.id)).toEqual([]);
    for (const id of [board.id, v7()]) await expect(other.page(id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the filters', () => {
  const titles = async (workspace: Workspace, boardId: string, filters: Partial<CardFilters>) =>
    (await walk(workspace, boardId, { filters })).map((card) => card.title).join('');

  it('column_id', async () => {
    const { workspace, board, two } = await setUp();
    expect(await titles(workspace, board.id, { column_id: two.id })).toBe('DE');
    expect(await titles(workspace, board.id, { column_id: v7() })).toBe('');
    const far = await workspace.board('Far');
    await workspace.cards(far.columns[0]?.id ?? '', 'Far');
    expect(await titles(workspace, board.id, { column_id: far.columns[0]?.id })).toBe('');
  });

  it('archived', async () => {
    const { workspace, board, card } = await setUp();
    const b = await card('B');
    await bus.call(archiveCard, { ...workspace.order(), card_id: b.id, if_match: [1] });
    expect(await titles(workspace, board.id, {})).toBe('ACDEFG');
    expect(await titles(workspace, board.id, { archived: true })).toBe('B');
  });

  it('completed', async () => {
    const { workspace, board, edit } = await setUp();
    await edit('A', { completed: true });
    await edit('G', { completed: true });
    expect(await titles(workspace, board.id, { completed: true })).toBe('AG');
    expect(await titles(workspace, board.id, { completed: false })).toBe('BCDEF');
  });

  it('priority', async () => {
    const { workspace, board, edit } = await setUp();
    await edit('D', { priority: 'urgent' });
    expect(await titles(workspace, board.id, { priority: 'urgent' })).toBe('D');
    expect(await titles(workspace, board.id, { priority: 'important' })).toBe('');
  });

  it('due_before and due_after, neither with the moment itself', async () => {
    const { workspace, board, edit } = await setUp();
    await edit('A', { due_date: '2026-01-01T00:00:00Z' });
    await edit('B', { due_date: '2026-01-02T00:00:00Z' });
    await edit('C', { due_date: '2026-01-03T00:00:00.001Z' });
    expect(await titles(workspace, board.id, { due_before: '2026-01-02T00:00:00Z' })).toBe('A');
    expect(await titles(workspace, board.id, { due_after: '2026-01-02T00:00:00Z' })).toBe('C');
    const window = { due_after: '2026-01-01T01:00:00+02:00', due_before: '2026-01-03T00:00:00Z' };
    expect(await titles(workspace, board.id, window)).toBe('AB');
  });

  it('workstream_id', async () => {
    const { workspace, board, two } = await setUp();
    const { id } = identifier.add(workspace.who.workspace_id, 'WEB');
    const body = { title: 'W', workstream_id: id };
    await bus.call(createCard, { ...workspace.order(), column_id: two.id, body });
    expect(await titles(workspace, board.id, { workstream_id: id })).toBe('W');
    expect(await titles(workspace, board.id, { workstream_id: v7() })).toBe('');
  });

  it.each([
    ['assignee_user_id', 'assignee_user_ids'],
    ['label_id', 'label_ids'],
  ] as const)('%s', async (filter, field) => {
    const { workspace, board, card } = await setUp();
    const [mine, both, nobody] = [v7(), v7(), v7()];
    const set = async (title: string, ids: string[]) => {
      const { id } = await card(title);
      await db.transaction((tx) =>
        tx
          .updateTable('cards')
          .set({ [field]: ids })
          .where('id', '=', id)
          .execute(),
      );
    };
    await set('A', [both]);
    await set('E', [mine, both]);
    expect(await titles(workspace, board.id, { [filter]: both })).toBe('AE');
    expect(await titles(workspace, board.id, { [filter]: mine })).toBe('E');
    expect(await titles(workspace, board.id, { [filter]: nobody })).toBe('');
  });

  it('blocked: by a dependency that is not completed, wherever it is', async () => {
    const { workspace, board, card, edit } = await setUp();
    const depend = async (from: string, to: Card) => {
      const ends: [string, string] = [(await card(from)).id, to.id];
      await bus.call(projectDependency, dependencyEvent(workspace.who.workspace_id, ends));
    };
    const far = await workspace.board('Far');
    const [elsewhere] = await workspace.cards(far.columns[0]?.id ?? '', 'Elsewhere');
    await depend('A', elsewhere as Card);
    await depend('B', await card('G'));
    await depend('B', await card('F'));
    await depend('C', await card('F'));
    await edit('F', { completed: true });
    expect(await titles(workspace, board.id, { blocked: true })).toBe('AB');
    expect(await titles(workspace, board.id, { blocked: false })).toBe('CDEFG');
  });

  it('q: a part of the title in any letter case, and nothing is a wildcard', async () => {
    const { workspace, board, edit } = await setUp();
    await edit('A', { title: '100% done_ \\o/ ÉTÉ' });
    await edit('B', { title: '100x doneX' });
    const find = (q: string) => titles(workspace, board.id, { q });
    expect(await find('00% DONE_')).toBe('100% done_ \\o/ ÉTÉ');
    expect(await find('été')).toBe('100% done_ \\o/ ÉTÉ');
    expect(await find('\\O')).toBe('100% done_ \\o/ ÉTÉ');
    expect(await find('X')).toBe('100x doneX');
    expect(await find('%')).toBe('100% done_ \\o/ ÉTÉ');
    expect(await find("'; --")).toBe('');
  });

  it.each([
    ['Straße', 'STRASSE'],
    ['STRASSE', 'straße'],
    ['Maẞstab', 'massstab'],
    ['İstanbul', 'i\u0307STANBUL'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδός', 'ΌΣ'],
    ['eﬃcient', 'EFFICIENT'],
    ['ŉ', 'ʼN'],
    ['ꭰᏸ', 'ᎠᏰ'],
    ['𐐀𐐁', '𐐨𐐩'],
    ['ſize in K', 'SIZE IN k'],
    ['100% ß_\\', '% SS_\\'],
  ])('q: finds %s by %s', async (title, q) => {
    const { workspace, board, edit } = await setUp();
    await edit('A', { title });
    expect(await titles(workspace, board.id, { q })).toBe(title);
    await edit(title, { title: 'something else' });
    expect(await titles(workspace, board.id, { q })).toBe('');
  });

  it('all of them at once', async () => {
    const { workspace, board, one, edit } = await setUp();
    await edit('A', { completed: true, priority: 'urgent' });
    await edit('B', { completed: true });
    await edit('D', { completed: true, priority: 'urgent' });
    const filters = { column_id: one.id, completed: true, priority: 'urgent', blocked: false, q: 'a' } as const;
    expect(await titles(workspace, board.id, filters)).toBe('A');
  });
});
