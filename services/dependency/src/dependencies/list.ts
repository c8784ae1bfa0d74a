import { type dependencyEntry, type listDependencies, requireFound } from '@cardinal/contracts';
import { openPage, sortKey } from '@cardinal/runtime';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { type End, listEdges } from '../graph/queries.ts';

type Entry = z.output<typeof dependencyEntry>;

/** Most dependencies looked at in one step. */
const edgesAtOnce = 10_000;

/**
 * Lists the cards at the other end of a card's dependencies, oldest dependency first. Those that the caller does not see
 * are left out, and the page is filled up with later ones.
 * @throws CardinalError `not_found` where the caller does not see the card; `invalid_request` for a cursor of another list
 */
export const listNeighbours = async (
  { db, visibility }: Pick<ServiceContext, 'db' | 'visibility'>,
  end: End,
  { card_id, page: asked, ...caller }: z.output<typeof listDependencies.request>,
) => {
  const { workspace_id } = caller;
  const page = openPage([`neighbours by ${end}`, workspace_id, card_id], [sortKey.count], asked);
  const seen: { entry: Entry; version: number }[] = [];
  let after = page.after?.[0] ?? 0;
  // One more than asked for tells whether there is a next page.
  let limit = page.limit + 1;
  for (let exhausted = false; seen.length <= page.limit && !exhausted; ) {
    const edges = await db.read((tx) => listEdges(tx, workspace_id, { end, cardId: card_id, after, limit }));
    const cards = await visibility.cards(caller, [card_id, ...edges.map((edge) => edge.card_id)]);
    requireFound('Card', cards.get(card_id));
    for (const { card_id: id, version, created_at } of edges) {
      const summary = cards.get(id);
      if (!summary) continue;
      const { board_deleted: _, ...card } = summary;
      seen.push({ entry: { card, created_at: created_at.toISOString() }, version });
    }
    exhausted = edges.length < limit;
    after = edges.at(-1)?.version ?? after;
    // Whoever sees few of many gets there in few steps.
    limit = Math.min(limit * 4, edgesAtOnce);
  }
  return page.cut(
    seen,
    ({ entry }) => entry,
    ({ version }) => [version],
  );
};
