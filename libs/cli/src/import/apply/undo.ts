import type { Card, CardinalClient, Listing } from '@cardinal/client/source';
import { mainPrefix } from '@cardinal/contracts';
import { type Bounds, forEachConcurrently } from '../concurrently.ts';
import { ifFound, isRefused } from '../found.ts';
import { type Journal, type Made, putAway } from '../journal.ts';

/** What an undo deleted, and what it kept, with the reason. */
export interface Undone {
  cards: number;
  /** Cards that were deleted before. */
  gone: number;
  others: string[];
  left: string[];
}

const gone = Symbol('gone');

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

const undoCards = async (client: CardinalClient, journal: Journal, undone: Undone, bounds: Bounds) => {
  // Newest first: an undo that is stopped leaves the beginning of an import.
  const made = [...journal.cards].filter(([, { made }]) => made !== undefined).reverse();
  await forEachConcurrently(made, bounds, async ([name, { id, made: own, whole }]) => {
    if (!own) return;
    // The run did not finish the comments of this card: read those that it has.
    const version = whole ? own.version + own.extras : await versionOfHalf(client, id, own.version);
    const reason = await deleted(() => client.cards.delete({ id, version }));
    if (typeof reason === 'string') {
      undone.left.push(`card ${name}: ${reason}`);
      return;
    }
    if (reason === gone) undone.gone += 1;
    else undone.cards += 1;
    await journal.append({ deleted: id });
  });
};

const versionOfHalf = async (client: CardinalClient, id: string, version: number): Promise<number> => {
  const card = await ifFound(client.cards.get(id));
  return card ? version + card.comment_count + card.subtask_total + card.subtask_completed : version;
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
