/**
 * Keeps a copy of every board, workstream and card that the owner of a token sees, in SQLite (Node 24):
 *
 *     CARDINAL_URL=http://127.0.0.1:8080 CARDINAL_TOKEN=cardinal_… node mirror.ts copy.db
 *
 * Events only name what to read again; what is stored comes from the API, as the reader sees it. So an event may be handled
 * twice, and the program may be killed at any time: it goes on from the position in the copy.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { type Board, type Card, CardinalError, createClient, type Event, type Workstream } from '@cardinal/client';

const [file = 'cardinal.db'] = process.argv.slice(2);
const { CARDINAL_URL: baseUrl = 'http://127.0.0.1:8080', CARDINAL_TOKEN: token = '' } = process.env;
const cardinal = createClient({ baseUrl, token, retry: { attempts: Number.POSITIVE_INFINITY } });

const db = new DatabaseSync(file);
db.exec(`
  pragma journal_mode = wal;
  create table if not exists workstreams (id text primary key, prefix text not null, json text not null);
  create table if not exists boards (id text primary key, name text not null, json text not null);
  create table if not exists cards (
    id text primary key, board_id text not null, workstream_id text not null, identifier text not null, title text not null,
    json text not null);
  create index if not exists cards_by_board on cards (board_id);
  create table if not exists position (after integer not null);
`);
const save = {
  workstream: db.prepare('replace into workstreams values (?, ?, ?)'),
  board: db.prepare('replace into boards values (?, ?, ?)'),
  card: db.prepare('replace into cards values (?, ?, ?, ?, ?, ?)'),
};
const forget = {
  board: db.prepare('delete from boards where id = ?'),
  card: db.prepare('delete from cards where id = ?'),
  cardsOfBoard: db.prepare('delete from cards where board_id = ?'),
};
const labelled = db.prepare(
  "select id from cards where exists (select 1 from json_each(cards.json, '$.label_ids') where value = ?)",
);
const setPosition = db.prepare('insert into position values (?)');

const saveWorkstream = (one: Workstream) => save.workstream.run(one.id, one.prefix, JSON.stringify(one));
const saveBoard = (one: Board) => save.board.run(one.id, one.name, JSON.stringify(one));
const saveCard = ({ workstream, position: _, ...card }: Card) => {
  // Neither has an event of the card: a workstream is renamed, and others make room among positions.
  const json = JSON.stringify({ ...card, workstream_id: workstream.id });
  save.card.run(card.id, card.board_id, workstream.id, card.identifier, card.title, json);
};

/** Makes changes of the copy and of its position together, or none of them. */
const commit = (after: number, write: () => void): void => {
  db.exec('begin immediate');
  try {
    write();
    db.exec('delete from position');
    setPosition.run(after);
    db.exec('commit');
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
};

/** Copies everything. The position is read first: what changes meanwhile is read again. @returns the position */
const copyAll = async (): Promise<number> => {
  const { head = 0 } = (await cardinal.events.list({ after: 'head' }).page()).page;
  const lists = [false, true].map((archived) => ({ archived }));
  const workstreams = (await Promise.all(lists.map((query) => cardinal.workstreams.list(query).all()))).flat();
  const boards = (await Promise.all(lists.map((query) => cardinal.boards.list(query).all()))).flat();
  const cards = await cardinal.cards.search({ archived: 'any', sort: 'created' }).all();
  commit(head, () => {
    db.exec('delete from cards; delete from boards; delete from workstreams');
    workstreams.forEach(saveWorkstream);
    boards.forEach(saveBoard);
    cards.forEach(saveCard);
  });
  return head;
};

const orNone = (error: unknown): undefined => {
  if (!(error instanceof CardinalError && error.code === 'not_found')) throw error;
};

/** Reads again what events name. @returns a function that stores it */
const readAgain = async (events: readonly Event[]): Promise<() => void> => {
  const [cardIds, boardIds, workstreamIds] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { type, card, board_id, subject } of events) {
    if (card) cardIds.add(card.id);
    if (type.startsWith('workstream.')) workstreamIds.add(subject.id);
    // A board that came into sight brings its cards, and one that left takes them along.
    if (board_id !== null && /^(board|member)\./.test(type)) boardIds.add(board_id);
    // Cards lose a deleted label without events of their own.
    if (type === 'label.deleted') for (const { id } of labelled.all(subject.id)) cardIds.add(String(id));
  }
  const workstreams = await Promise.all([...workstreamIds].map((id) => cardinal.workstreams.get(id)));
  const boards: Board[] = [];
  const cards: Card[] = [];
  for (const id of boardIds) {
    const board = await cardinal.boards.get(id).catch(orNone);
    if (!board) continue;
    boards.push(board);
    cards.push(...((await cardinal.cards.list(id, { archived: 'any' }).all().catch(orNone)) ?? []));
  }
  for (const asked = [...cardIds]; asked.length > 0; )
    cards.push(...(await cardinal.cards.search({ card: asked.splice(0, 100), archived: 'any' }).all()));
  return () => {
    for (const id of boardIds) {
      forget.board.run(id);
      forget.cardsOfBoard.run(id);
    }
    for (const id of cardIds) forget.card.run(id);
    workstreams.forEach(saveWorkstream);
    boards.forEach(saveBoard);
    cards.forEach(saveCard);
  };
};

const isGone = (error: unknown) => error instanceof CardinalError && error.code === 'gone';

let after = db.prepare('select after from position').get()?.after as number | undefined;
for (;;) {
  if (after === undefined) after = await copyAll();
  try {
    const { data, page } = await cardinal.events.list({ after }).page();
    if (data.some(({ type }) => type === 'feed.reset')) after = undefined;
    else {
      const next: number = page.has_more ? (data.at(-1)?.seq ?? after) : Math.max(page.head ?? 0, after);
      if (next > after) commit(next, await readAgain(data));
      after = next;
      if (!page.has_more) await pause(1_000);
    }
  } catch (error) {
    // The events after the position are not kept any more.
    if (!isGone(error)) throw error;
    after = undefined;
  }
}
