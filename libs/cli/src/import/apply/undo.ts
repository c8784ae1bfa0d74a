import type { Card, CardinalClient, Listing } from '@cardinal/client/source';
import { mainPrefix } from '@cardinal/contracts';
import { type Bounds, forEachConcurrently } from '../concurrently.ts';
import { ifFound, isRefused } from '../found.ts';
import { type Journal, type JournalCard, type Made, putAway } from '../journal.ts';
import { isUntouched } from './facets.ts';
import { leftAs } from './update.ts';
import { findWorkstreams } from './workspace.ts';

/** What an undo deleted, and what it kept, with the reason. */
export interface Undone {
  cards: number;
  /** Cards that were deleted before. */
  gone: number;
  others: string[];
  left: string[];
}

const gone = Symbol('gone');
const page = { pageSize: 100 };

/** Deletes a resource if it has this version. @returns why it was kept; undefined if it was deleted */
const deleted = async (remove: () => Promise<void>): Promise<string | undefined | typeof gone> => {
  try {
    await remove();
    return undefined;
  } catch (error) {
    if (isRefused(error, 'not_found')) return gone;
    if (isRefused(error, 'precondition_failed')) return 'it was changed since';
    if (isRefused(error, 'conflict')) return error.message;
    throw error;
  }
};

/** A card that an undo may delete. */
interface Doomed {
  name: string;
  entry: JournalCard;
}

/** The cards that a run made, newest first: an undo that is stopped leaves the beginning of an import. */
const madeCards = (journal: Journal): Doomed[] =>
  [...journal.cards].flatMap(([name, entry]) => (entry.made ? [{ name, entry }] : [])).reverse();

/** The version that nobody has changed a card since; of a card with unfinished comments or an unfinished update it is read. */
const versionOf = async (client: CardinalClient, entry: JournalCard): Promise<number> => {
  const { made = { version: 0, extras: 0 }, whole, begun, id } = entry;
  const version = made.version + made.extras;
  if (whole && !begun) return version;
  const card = await ifFound(client.cards.get(id));
  const left = card && leftAs(entry, card);
  if (!card || !left) return version;
  return isUntouched(left, card) ? card.version : left.version;
};

const undoCards = async (client: CardinalClient, journal: Journal, undone: Undone, bounds: Bounds) => {
  await forEachConcurrently(madeCards(journal), bounds, async ({ name, entry }) => {
    const version = await versionOf(client, entry);
    const reason = await deleted(() => client.cards.delete({ id: entry.id, version }));
    if (typeof reason === 'string') {
      undone.left.push(`card ${name}: ${reason}`);
      return;
    }
    if (reason === gone) undone.gone += 1;
    else undone.cards += 1;
    await journal.append({ deleted: entry.id });
  });
};

/** What an undo would delete, and the identifiers that are used up for ever with it: current and former ones. */
export interface Cost {
  cards: number;
  identifiers: string[];
}

/** Counts what an undo of a run would delete. Writes nothing. */
export const costOfUndo = async (client: CardinalClient, journal: Journal): Promise<Cost> => {
  const byId = new Map(madeCards(journal).map(({ entry }) => [entry.id, entry]));
  const doomed = new Set<string>();
  const registered: [identifier: string, card: string][] = [];
  if (byId.size === 0) return { cards: 0, identifiers: [] };
  for (const { id: workstream_id } of (await findWorkstreams(client)).values()) {
    const ofCards: [identifier: string, card: string][] = [];
    for await (const { identifier, card } of client.workstreams.listIdentifiers(workstream_id, {}, page)) {
      if (card && byId.has(card.id)) ofCards.push([identifier, card.id]);
    }
    if (ofCards.length === 0) continue;
    for (const archived of [false, true]) {
      for await (const card of client.cards.search({ workstream_id, archived }, page)) {
        const entry = byId.get(card.id);
        const left = entry && leftAs(entry, card);
        if (left && isUntouched(left, card)) doomed.add(card.id);
      }
    }
    registered.push(...ofCards);
  }
  const identifiers = registered.filter(([, card]) => doomed.has(card)).map(([identifier]) => identifier);
  return { cards: doomed.size, identifiers };
};

const isEmpty = async (cards: (archived: boolean) => Listing<Card>): Promise<boolean> => {
  for (const archived of [false, true]) if ((await cards(archived).all({ limit: 1 })).length > 0) return false;
  return true;
};

const undoOther = async (client: CardinalClient, { kind, id, name, version }: Made) => {
  const versioned = { id, version };
  switch (kind) {
    case 'label':
      return (await isEmpty((archived) => client.cards.search({ label_id: id, archived })))
        ? deleted(() => client.labels.delete(versioned))
        : 'cards have it';
    case 'board':
      return (await isEmpty((archived) => client.cards.list(id, { archived })))
        ? deleted(() => client.boards.delete(versioned))
        : 'cards are on it';
    case 'column':
      return 'columns cannot be deleted';
    case 'workstream':
      return name === mainPrefix && (await ifFound(client.workstreams.get(id)))?.adopting
        ? `it takes cards of imports alone until "cardinal workstreams open ${name}"`
        : 'a prefix is for ever';
  }
};

/**
 * Deletes what a run created and nobody has changed since: its cards, then its labels and its board if no card is left
 * on them. Identifiers of deleted cards are never used again, by imports neither.
 * @param undone receives what was done
 * @throws Stopped
 */
export const undoRun = async (
  client: CardinalClient,
  journal: Journal,
  undone: Undone,
  bounds: Bounds,
): Promise<void> => {
  await undoCards(client, journal, undone, bounds);
  const hasBoard = journal.made.some(({ kind }) => kind === 'board');
  const rank = { label: 0, board: 1, column: 2, workstream: 3 };
  for (const made of journal.made.toSorted((a, b) => rank[a.kind] - rank[b.kind])) {
    // Columns are kept or deleted with their board.
    if (made.kind === 'column' && hasBoard) continue;
    const reason = await undoOther(client, made);
    if (typeof reason !== 'string') {
      if (reason !== gone) undone.others.push(`${made.kind} ${made.name}`);
      await journal.append({ deleted: made.id });
    } else undone.left.push(`${made.kind} ${made.name}: ${reason}`);
  }
  if (![...journal.cards.values()].some(({ made }) => made !== undefined)) await putAway(journal);
};
