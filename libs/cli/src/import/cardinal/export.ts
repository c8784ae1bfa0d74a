import { randomUUID } from 'node:crypto';
import type { Board, Card, CardinalClient, CardLookup, Column } from '@cardinal/client/source';
import { goOn } from '../concurrently.ts';
import { ifFound } from '../found.ts';
import type { Counts, IdentifierLine, Line } from './format.ts';
import { inOrder, merged } from './merged.ts';
import type { ExportWriter } from './writing.ts';

const cardsAtOnce = 8;

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
const byPosition = (a: { position: number }, b: { position: number }) => a.position - b.position;

interface Reading {
  client: CardinalClient;
  out: ExportWriter;
  /** How many columns each of them has. */
  boards: Map<string, number>;
  /** With their boards. */
  columns: Map<string, string>;
  cards: Set<string>;
  /** Dependencies on cards that the caller does not see. */
  hiddenDependencies: number;
  /** Files that have no bytes, or may not be read. */
  uncleanFiles: number;
  isStopped: () => boolean;
}

/** The lines of a card and its comments, subtasks and links; none if it was deleted meanwhile. */
const linesOfCard = async (reading: Reading, card: Card, place: number): Promise<Line[]> => {
  const { client } = reading;
  const { id } = card;
  const found = await ifFound(
    Promise.all([
      client.cards.getByIdentifier(card.identifier),
      client.cards.listIdentifiers(id).all(),
      client.cards.getCover(id),
      card.comment_count > 0 ? client.comments.list(id).all() : [],
      card.subtask_total > 0 ? client.subtasks.list(id).all() : [],
    ]),
  );
  if (!found) return [];
  const [{ reference }, identifiers, cover, comments, subtasks] = found;
  const wanted = reference.dependency_count;
  const dependencies = wanted > 0 ? ((await ifFound(client.cards.listDependencies(id).all())) ?? []) : [];
  reading.hiddenDependencies += Math.max(0, wanted - dependencies.length);
  const depends_on = dependencies.map((one) => ({ card_id: one.card.id, created_at: one.created_at }));
  const identifier = identifiers.find(({ is_current }) => is_current)?.identifier ?? card.identifier;
  return [
    { ...card, identifier, position: place, identifiers, depends_on, cover_file_id: cover?.file_id ?? null },
    ...comments,
    ...subtasks.map((subtask, n) => ({ ...subtask, position: n + 1 })),
  ];
};

const writeCards = async (
  reading: Reading,
  cards: AsyncIterable<Card> | Iterable<Card>,
  placeOf: (n: number) => number,
) => {
  let n = 0;
  const lines = inOrder(cards, cardsAtOnce, async (card) => {
    goOn(reading);
    n += 1;
    return linesOfCard(reading, card, placeOf(n));
  });
  for await (const [card, ...others] of lines) {
    // A card that is moved while its column is read may come twice.
    if (card?.type !== 'card' || reading.cards.has(card.id)) continue;
    reading.cards.add(card.id);
    for (const line of [card, ...others]) await reading.out.write(line);
  }
};

const writeColumn = async ({ out, boards, columns }: Reading, column: Omit<Column, 'position'>) => {
  if (columns.has(column.id)) return;
  const position = (boards.get(column.board_id) ?? 0) + 1;
  columns.set(column.id, column.board_id);
  boards.set(column.board_id, position);
  await out.write({ ...column, position });
};

const writeBoard = async (reading: Reading, board: Board) => {
  const { client, out, boards } = reading;
  const { id } = board;
  boards.set(id, 0);
  const members = ((await ifFound(client.boards.listMembers(id).all())) ?? []).map(({ board_id: _, ...one }) => one);
  await out.write({ ...board, deleted_at: null, members });
  const list = async (archived: boolean) => (await ifFound(client.columns.list(id, { archived }).all())) ?? [];
  const columns = [...(await list(false)), ...(await list(true))];
  for (const column of columns.sort(byPosition)) await writeColumn(reading, column);
};

const writeFiles = async (reading: Reading) => {
  const { client, out } = reading;
  for await (const file of client.files.list()) {
    goOn(reading);
    // Nobody may download the bytes of others.
    const download = file.status === 'clean' ? await ifFound(client.files.getContent(file.id)) : undefined;
    if (download) await out.write({ ...file, sha256: await out.writeFile(file.id, download) });
    else reading.uncleanFiles += 1;
  }
};

/** Writes the board and column of a late card, unless they are written already. */
const writeLatePlace = async (reading: Reading, { card, reference }: CardLookup) => {
  const { client, out, boards, columns } = reading;
  const { board_id, column_id, created_by, created_at, updated_at } = card;
  const head = { version: 1, created_at, updated_at };
  if (!boards.has(board_id)) {
    const board = await ifFound(client.boards.get(board_id));
    if (board) await writeBoard(reading, board);
    else {
      boards.set(board_id, 0);
      const lost = { visibility: 'private', default_workstream_id: null, archived_at: null } as const;
      const about = { id: board_id, name: reference.board_name, deleted_at: reference.board_deleted_at, created_by };
      await out.write({ type: 'board', ...head, ...about, ...lost, members: [] });
    }
  }
  if (!columns.has(column_id)) {
    const column = await ifFound(client.columns.get(column_id));
    const unknown = { type: 'column', ...head, id: column_id, board_id, name: 'Column', archived_at: null } as const;
    await writeColumn(reading, column ?? unknown);
  }
};

type Registered = Omit<IdentifierLine, 'type'> & { cardId: string | undefined };

const readRegister = async (client: CardinalClient, workstreamId: string): Promise<Registered[]> => {
  const entries: Registered[] = [];
  for await (const {
    card,
    identifier,
    is_current,
    assigned_at,
    superseded_at,
    adopted,
  } of client.workstreams.listIdentifiers(workstreamId)) {
    entries.push({ identifier, is_current, assigned_at, superseded_at, adopted, cardId: card?.id });
  }
  return entries;
};

/**
 * Late cards, which no list of a board had: their boards are deleted, or they were moved to a board that had been read. The latter
 * are put on top.
 */
const writeLateCards = async (reading: Reading, register: Registered[]): Promise<void> => {
  const missing = new Map<string, string>();
  for (const { cardId, identifier } of register) {
    if (cardId !== undefined && !reading.cards.has(cardId)) missing.set(cardId, identifier);
  }
  const found = inOrder(missing.values(), cardsAtOnce, (identifier) =>
    ifFound(reading.client.cards.getByIdentifier(identifier)),
  );
  const late: CardLookup[] = [];
  for await (const lookup of found) if (lookup) late.push(lookup);
  const idOf = ({ card }: CardLookup) => ({ id: card.column_id });
  late.sort((a, b) => (a.card.column_id === b.card.column_id ? byPosition(a.card, b.card) : byId(idOf(a), idOf(b))));
  const places = new Map<string, number>();
  for (const lookup of late) {
    const { card, reference } = lookup;
    await writeLatePlace(reading, lookup);
    const place = (places.get(card.column_id) ?? 0) + 1;
    places.set(card.column_id, place);
    await writeCards(reading, [card], () => (reference.board_deleted_at === null ? 0 : place));
  }
};

/**
 * Writes everything that the caller sees of a workspace, in a fixed order. Others may write at the same time: the export omits what
 * is deleted meanwhile, and may have or omit what is created meanwhile.
 * @returns the count of each type, hidden resources too
 * @throws Stopped once `isStopped` returns true; the export then lacks its last line, and no import accepts it
 */
export const exportWorkspace = async (
  client: CardinalClient,
  out: ExportWriter,
  isStopped: () => boolean,
  now: string,
): Promise<Counts> => {
  const me = await client.me.get();
  const seen = { boards: new Map(), columns: new Map(), cards: new Set<string>() };
  const reading: Reading = { client, out, isStopped, ...seen, hiddenDependencies: 0, uncleanFiles: 0 };
  const { workspace_id, user_id } = me;
  await out.write({ type: 'export', format: 1, id: randomUUID(), workspace_id, user_id, exported_at: now });
  // Identifiers first: a card that gets one later is read later, with all of them.
  const register: Registered[] = [];
  const known = new Set<string>();
  const writeOnce = async (line: Line & { id: string }) => {
    if (known.has(line.id)) return;
    known.add(line.id);
    await out.write(line);
  };
  const workstreams = () => merged(client.workstreams.list(), client.workstreams.list({ archived: true }), byId);
  for await (const workstream of workstreams()) {
    await writeOnce(workstream);
    register.push(...(await readRegister(client, workstream.id)));
  }
  for await (const label of client.labels.list()) await writeOnce(label);
  for await (const { type, user_id, name, email, kind, erased_at } of client.people.list()) {
    if (name !== null && erased_at === null) await out.write({ type, user_id, name, email, kind });
  }
  for await (const board of merged(client.boards.list(), client.boards.list({ archived: true }), byId)) {
    await writeBoard(reading, board);
  }
  await writeFiles(reading);
  for (const [column_id, board_id] of [...reading.columns]) {
    const list = (archived: boolean) => client.cards.list(board_id, { column_id, archived });
    // Cards of a board that is deleted meanwhile are late cards.
    await ifFound(writeCards(reading, merged(list(false), list(true), byPosition), (n) => n));
  }
  await writeLateCards(reading, register);
  // Resources that late cards refer to.
  for await (const workstream of workstreams()) await writeOnce(workstream);
  for await (const label of client.labels.list()) await writeOnce(label);
  let without = 0;
  for (const { cardId, ...entry } of register) {
    if (cardId !== undefined && reading.cards.has(cardId)) continue;
    without += 1;
    await out.write({ type: 'identifier', ...entry });
  }
  const { export: _, ...counts } = out.counts;
  const all = {
    ...counts,
    identifier: without,
    hidden_dependency: reading.hiddenDependencies,
    unclean_file: reading.uncleanFiles,
  };
  await out.write({ type: 'end', counts: all });
  return all;
};
