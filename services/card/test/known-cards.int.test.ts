import { type Card, replyOf } from '@cardinal/contracts';
import { openPage } from '@cardinal/runtime';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { rememberDocuments } from '../src/cards/documents.ts';
import { listCards, openLists } from '../src/cards/list.ts';
import { positionKeys } from '../src/positions/queries.ts';
import { startFixture } from './support/fixture.ts';
import { setUpBoard } from './support/listing.ts';

const fixture = await startFixture();
const { bus } = fixture;
const { db } = fixture.instance;

/** A board, and a process of its own that lists it and reports how often it asked the database. */
const setUp = async () => {
  const board = await setUpBoard(bus);
  const server = { generation: 1 };
  let reads = 0;
  /** What happens right before the second read of a list. */
  const meanwhile: (() => Promise<unknown>)[] = [];
  const read: typeof db.read = async (fn) => {
    reads += 1;
    if (reads === 2) await meanwhile.shift()?.();
    return db.read(fn);
  };
  const documents = rememberDocuments({ serverGeneration: () => server.generation });
  const handle = listCards({ db: { ...db, read } }, documents);
  const request = { ...board.workspace.who, board_id: board.board.id, filters: { archived: false } };
  const list = async (limit = 50, cursor?: string) => {
    reads = 0;
    const page = await handle({ ...request, page: { limit, cursor } });
    const { items } = replyOf(page) as { items: Card[] };
    expect(items).toEqual((await board.workspace.page(board.board.id, {}, limit, cursor)).items);
    return { items, cursor: page.head.next_cursor ?? undefined, text: page.text, reads };
  };
  return { ...board, list, server, meanwhile };
};

describe('cards that a process knows as they are', () => {
  it('are not read again, by any page', async () => {
    const { list } = await setUp();
    const first = await list();
    expect(first.reads).toBe(2);
    expect(await list()).toEqual({ ...first, reads: 1 });
    const two = await list(2);
    const rest = await list(50, two.cursor);
    expect([...two.items, ...rest.items]).toEqual(first.items);
    expect([two.reads, rest.reads]).toEqual([1, 1]);
  });

  it.each<[string, (of: Awaited<ReturnType<typeof setUp>>, card: Card) => Promise<unknown>]>([
    ['that was edited', ({ edit }) => edit('C', { title: 'C again' })],
    ['that was moved', ({ workspace, four }, { id }) => workspace.move(id, { column_id: four.id })],
    ['that was archived', ({ workspace }, { id }) => archive(workspace.who.workspace_id, id)],
    ['that a rebalancing moved', ({ one }) => raise(one.id, 1_000)],
    [
      'whose workstream was renamed',
      ({ workspace }, { workstream }) => rename(workspace.who.workspace_id, workstream.id),
    ],
  ])('are told as they have become: one %s', async (_, change) => {
    const of = await setUp();
    const before = await of.list();
    await change(of, before.items.find(({ title }) => title === 'C') as Card);
    const after = await of.list();
    expect(after.items).not.toEqual(before.items);
    expect(await of.list()).toEqual({ ...after, reads: 1 });
  });

  it('are read with their order where one is moved while it is read', async () => {
    const { list, card, edit, meanwhile, workspace, four } = await setUp();
    await list();
    const { id } = await card('C');
    await edit('C', { title: 'C again' });
    meanwhile.push(() => workspace.move(id, { column_id: four.id }));
    const moved = await list();
    expect(moved.reads).toBe(3);
    expect(moved.items.map(({ title }) => title).join()).toBe('A,B,D,E,C again,F,G');
    expect(await list()).toEqual({ ...moved, reads: 1 });
  });

  it('are read anew from a server that may be another one', async () => {
    const { list, server } = await setUp();
    await list();
    server.generation += 1;
    expect((await list()).reads).toBe(2);
  });
});

const archive = (workspaceId: string, id: string) =>
  db.transaction((tx) =>
    sql`update cards set archived_at = now(), version = version + 1 where workspace_id = ${workspaceId} and id = ${id}`.execute(
      tx,
    ),
  );
const raise = (columnId: string, by: number) =>
  db.transaction((tx) => sql`update cards set position = position + ${by} where column_id = ${columnId}`.execute(tx));
const rename = (workspaceId: string, id: string) =>
  db.transaction((tx) =>
    sql`update workstreams set name = 'Renamed', version = version + 1 where workspace_id = ${workspaceId} and id = ${id}`.execute(
      tx,
    ),
  );

describe('a list goes on', () => {
  const open = async (change: (ids: { column: string; card: string; other: string }) => Promise<unknown>) => {
    const { workspace, board, one, four } = await setUpBoard(bus);
    const card = (await workspace.page(board.id)).items[1] as Card;
    await change({ column: one.id, card: card.id, other: four.id });
    const asked = {
      ...{ ...workspace.who, board_id: board.id, most: 1, ordinal: 1 },
      ...{ column_id: one.id, column_position: one.position, column_version: one.version },
      ...{ card_id: card.id, card_position: card.position, card_version: card.version },
    };
    const [opened] = await db.read((tx) => openLists.run(tx, [JSON.stringify([asked])]));
    return {
      column: (opened?.column_position ?? 0) - one.position,
      card: (opened?.card_position ?? 0) - card.position,
    };
  };
  const set = (table: 'cards' | 'columns', id: string, changes: string) =>
    db.transaction((tx) => sql`update ${sql.table(table)} set ${sql.raw(changes)} where id = ${id}`.execute(tx));

  it('where a rebalancing left the column and the card', async () => {
    const raised = 'position = position + 100';
    const moved = await open(async ({ column, card }) => {
      await set('columns', column, raised);
      await set('cards', card, raised);
    });
    expect(moved).toEqual({ column: 100, card: 100 });
  });

  it('where the column and the card stood that were written since, for they may have been moved', async () => {
    const moved = 'position = position + 100, version = version + 1';
    const stayed = await open(async ({ column, card }) => {
      await set('columns', column, moved);
      await set('cards', card, moved);
    });
    expect(stayed).toEqual({ column: 0, card: 0 });
  });

  it('where a card stood that has left its column, or is gone', async () => {
    const left = await open(({ card, other }) => set('cards', card, `column_id = '${other}', position = 77`));
    expect(left).toEqual({ column: 0, card: 0 });
    const remove = (card: string) => db.transaction((tx) => tx.deleteFrom('cards').where('id', '=', card).execute());
    expect(await open(({ card }) => remove(card))).toEqual({ column: 0, card: 0 });
  });

  it('behind whatever a cursor names that somebody made up', async () => {
    const { workspace, board, one } = await setUpBoard(bus);
    const scope = ['cards', workspace.who.workspace_id, board.id, [['archived', false]]] as const;
    const page = openPage(scope, [...positionKeys, ...positionKeys] as const, { limit: 1 });
    // The highest version that a column holds; a higher one is no cursor.
    const most = 2 ** 31 - 1;
    for (const position of [Number.MIN_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE]) {
      const { head } = page.cut([1, 2], String, () => [one.id, position, most, one.id, position, most]);
      await workspace.page(board.id, {}, 50, head.next_cursor ?? '');
    }
  });
});
