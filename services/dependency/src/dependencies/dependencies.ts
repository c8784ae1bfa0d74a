import * as contracts from '@cardinal/contracts';
import { type Caller, CardinalError, conflict, notFound, requireFound } from '@cardinal/contracts';
import { currentContext, openPage, sortKey } from '@cardinal/runtime';
import { type CardSummary, cardsAtOnce } from '@cardinal/service';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { createAdditions } from '../graph/add.ts';
import { maxDependencies } from '../graph/agreeing-edges.ts';
import { changeEvent, type End, listEdges, readEdgesAfter } from '../graph/queries.ts';
import { createRemovals } from '../graph/remove.ts';

/** Serves dependencies between cards of a workspace (CONTRACT 7). */
export const serveDependencies = (context: ServiceContext): void => {
  const { bus, feed, visibility } = context;
  const additions = createAdditions(context.db);
  const removals = createRemovals(context);

  bus.serve(contracts.putDependency, async ({ card_id, depends_on_card_id, ...caller }) => {
    if (card_id === depends_on_card_id) throw new CardinalError('validation_error', 'A card cannot depend on itself');
    const { workspace_id } = caller;
    const edge = { card_id, depends_on_card_id };
    const cards = await visibility.cards(caller, [card_id, depends_on_card_id]);
    const dependsOn = requireFound('Card', cards.get(depends_on_card_id));
    const card = requireWritable(cards.get(card_id));

    const addition = await additions.submit(requestFor(caller, card, dependsOn));
    if (addition.result === 'gone') throw notFound('Card');
    if (addition.result === 'full') throw conflict(`There are at most ${maxDependencies} dependencies of a card`);
    if (addition.result === 'cycle') throw await cycleRefusal(context, caller, addition.path);
    if (addition.result === 'added') {
      feed.nudge(workspace_id);
      feed.nudgeProjections(workspace_id);
    }
    const { version, created_at } = addition.edge;
    // Handed over also where it existed before: the earlier writer may have crashed before it handed over its event.
    const event = changeEvent(workspace_id, { ...edge, exists: true, version }, created_at);
    await bus.callBestEffort(contracts.projectDependency, event);
    return { ...edge, created_at: created_at.toISOString() };
  });

  /** A dependency on a card that the caller does not see stays, and the answer does not reveal it (CONTRACT 7). */
  bus.serve(contracts.deleteDependency, async ({ card_id, depends_on_card_id, ...caller }) => {
    const { workspace_id } = caller;
    const cards = await visibility.cards(caller, [card_id, depends_on_card_id]);
    const card = requireWritable(cards.get(card_id));
    const dependsOn = cards.get(depends_on_card_id);
    if (!dependsOn) return deleted;

    const removed = await removals.submit(requestFor(caller, card, dependsOn));
    if (removed?.change) {
      feed.nudge(workspace_id);
      feed.nudgeProjections(workspace_id);
    }
    if (removed) {
      await bus.callBestEffort(contracts.projectDependency, removed.event);
    }
    return deleted;
  });

  bus.serve(contracts.listDependencies, (request) => listNeighbours(context, 'card_id', request));
  bus.serve(contracts.listDependents, (request) => listNeighbours(context, 'depends_on_card_id', request));

  bus.serve(contracts.readEdges, ({ workspace_id, ...range }) =>
    context.db.read((tx) => readEdgesAfter(tx, workspace_id, range)),
  );
};

const deleted = { deleted: true } as const;

/** @throws CardinalError `not_found` where the caller does not see the card; `conflict` where its board is deleted */
const requireWritable = (found: CardSummary | undefined): CardSummary => {
  const card = requireFound('Card', found);
  if (card.board_deleted) throw conflict("The card's board is deleted");
  return card;
};

/** A dependency between two cards, as a request for a change of the graph. */
const requestFor = ({ workspace_id, user_id }: Caller, card: CardSummary, dependsOn: CardSummary) => ({
  workspaceId: workspace_id,
  userId: user_id,
  requestId: currentContext()?.requestId,
  card_id: card.id,
  identifier: card.identifier,
  boardId: card.board_id,
  depends_on_card_id: dependsOn.id,
  otherBoardId: dependsOn.board_id,
});

/**
 * Makes the refusal of a dependency that closes a cycle, with the identifiers of the cycle's cards in order, from the
 * dependent card to the dependent card. Cards that the caller does not see are left out; the cycle is reported anyway.
 * A cycle longer than one request to the card service is reported by its beginning and its last card.
 */
const cycleRefusal = async ({ visibility }: ServiceContext, caller: Caller, path: string[]): Promise<CardinalError> => {
  // The first card is the last one, too.
  const cards = await visibility.cards(caller, [...new Set(path.slice(0, cardsAtOnce))]);
  const identifiers = [...path.slice(0, Math.min(path.length - 1, cardsAtOnce)), path[0] as string].flatMap(
    (id) => cards.get(id)?.identifier ?? [],
  );
  return new CardinalError('conflict', 'The dependency would close a cycle', { path: identifiers });
};

type Entry = z.output<typeof contracts.dependencyEntry>;

/** Most dependencies read in one step. */
const edgesAtOnce = 10_000;

/**
 * Lists the cards at the other end of a card's dependencies, oldest dependency first. Cards that the caller does not
 * see are left out, and later ones fill the page.
 * @throws CardinalError `not_found` where the caller does not see the card; `invalid_request` for a cursor of another
 * list
 */
export const listNeighbours = async (
  { db, visibility }: Pick<ServiceContext, 'db' | 'visibility'>,
  end: End,
  { card_id, page: asked, ...caller }: z.output<typeof contracts.listDependencies.request>,
) => {
  const { workspace_id } = caller;
  const page = openPage([`neighbours by ${end}`, workspace_id, card_id], [sortKey.count], asked);
  const seen: { entry: Entry; version: number }[] = [];
  let after = page.after?.[0] ?? 0;
  // One more than the page shows whether there is a next page.
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
    // A caller that sees few of many dependencies needs few steps.
    limit = Math.min(limit * 4, edgesAtOnce);
  }
  return page.cut(
    seen,
    ({ entry }) => entry,
    ({ version }) => [version],
  );
};
