import {
  archiveCard,
  archiveColumn,
  type Card,
  type Column,
  patchCard,
  restoreCard,
  restoreColumn,
} from '@cardinal/contracts';
import { describe, expect, it } from 'vitest';
import { startFixture } from './support/fixture.ts';
import { openWorkspace } from './support/workspace.ts';

const fixture = await startFixture();
const { bus } = fixture;

/** A board with three columns; the second holds A, B and C from the top. */
const setUp = async () => {
  const workspace = openWorkspace(bus);
  const { board, columns } = await workspace.board('First', 'Second', 'Third');
  const [first, second, third] = columns as [Column, Column, Column];
  const [, b] = (await workspace.cards(second.id, 'C', 'B', 'A')) as [Card, Card, Card];
  const write = (contract: typeof archiveCard, if_match: number[], card = b) =>
    bus.call(contract, { ...workspace.order(), card_id: card.id, if_match });
  const writeColumn = async (contract: typeof archiveColumn, column: Column, version = 1) => {
    await bus.call(contract, { ...workspace.order(), column_id: column.id, if_match: [version] });
  };
  return { workspace, board, first, second, third, b, write, writeColumn };
};

describe('archive-card', () => {
  it('takes a card out of the list and keeps its place and content', async () => {
    const { workspace, board, b, write } = await setUp();
    const { resource } = await write(archiveCard, [1]);
    expect(resource).toEqual({
      ...b,
      version: 2,
      archived_at: expect.any(String),
      updated_at: resource.archived_at,
    });
    expect(await workspace.titles(board.id)).toEqual(['A', 'C']);
    expect(await workspace.titles(board.id, { archived: true })).toEqual(['B']);
    expect(await workspace.read(b.id)).toEqual(resource);
    const edit = { ...workspace.order(), card_id: b.id, if_match: [2], body: { title: 'Still editable' } };
    expect((await bus.call(patchCard, edit)).resource).toMatchObject({ version: 3, title: 'Still editable' });
  });

  it('is a state to reach, and needs the current version', async () => {
    const { write } = await setUp();
    await expect(write(archiveCard, [2])).rejects.toMatchObject({ code: 'precondition_failed' });
    await expect(write(archiveCard, [])).rejects.toMatchObject({ code: 'precondition_failed' });
    const { resource } = await write(archiveCard, [1]);
    expect((await write(archiveCard, [2])).resource).toEqual(resource);
  });
});

describe('restore-card', () => {
  it('brings a card back to where it stood, whatever happened around it', async () => {
    const { workspace, board, second, b, write } = await setUp();
    await write(archiveCard, [1]);
    await workspace.cards(second.id, 'New');
    const { resource } = await write(restoreCard, [2]);
    expect(resource).toMatchObject({ version: 3, archived_at: null, column_id: second.id, position: b.position });
    expect(await workspace.titles(board.id)).toEqual(['New', 'A', 'B', 'C']);
    expect((await write(restoreCard, [3])).resource, 'a state to reach').toEqual(resource);
  });

  it('goes to the start of the first active column where its own is archived', async () => {
    const { workspace, board, first, second, third, write, writeColumn } = await setUp();
    await workspace.cards(third.id, 'Z');
    await write(archiveCard, [1]);
    await writeColumn(archiveColumn, second);
    await writeColumn(archiveColumn, first);
    const { resource } = await write(restoreCard, [2]);
    expect(resource).toMatchObject({ version: 3, archived_at: null, column_id: third.id });
    expect(await workspace.titles(board.id, { column_id: third.id })).toEqual(['B', 'Z']);
  });

  it('is in conflict where no column is active, and possible again when one is', async () => {
    const { workspace, b, first, second, third, write, writeColumn } = await setUp();
    const active = await workspace.read(b.id);
    const { resource } = await write(archiveCard, [1]);
    for (const column of [first, second, third]) await writeColumn(archiveColumn, column);
    const request = { ...workspace.order(), card_id: b.id, if_match: [2] };
    await expect(bus.call(restoreCard, request)).rejects.toMatchObject({ code: 'conflict' });
    expect(await workspace.read(b.id)).toEqual(resource);
    await writeColumn(restoreColumn, second, 2);
    const again = await bus.call(restoreCard, request);
    expect(again).toMatchObject({
      replayed: false,
      resource: { ...active, version: 3, updated_at: expect.any(String) },
    });
  });

  it('leaves an active card of an archived column alone', async () => {
    const { b, second, write, writeColumn } = await setUp();
    await writeColumn(archiveColumn, second);
    expect((await write(restoreCard, [1])).resource).toEqual(b);
  });

  it('gives cards that come back at once places of their own', async () => {
    const { workspace, board, first, second, third, write, writeColumn } = await setUp();
    await workspace.cards(second.id, ...Array.from({ length: 10 }, (_, index) => `Card ${index}`));
    const { items } = await workspace.page(board.id);
    await Promise.all(items.map((card) => write(archiveCard, [1], card)));
    await writeColumn(archiveColumn, second);
    await writeColumn(archiveColumn, third);
    const restored = await Promise.all(items.map((card) => write(restoreCard, [2], card)));
    expect(new Set(restored.map(({ resource }) => resource.position)).size).toBe(items.length);
    expect(restored.every(({ resource }) => resource.column_id === first.id)).toBe(true);
  });
});
