import * as contracts from '@cardinal/contracts';
import { newInternalEvent } from '@cardinal/db';
import { runWrite } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { eventOf } from '../events.ts';
import { listAllCards } from './all-cards.ts';
import { serveBulk } from './bulk.ts';
import { cardMaker } from './create.ts';
import { rememberDocuments } from './documents.ts';
import { cardEditor } from './edit.ts';
import { listCards } from './list.ts';
import { cardFinder } from './look-up.ts';
import { cardMoves } from './move.ts';
import { deleteCardRow, toCard } from './queries.ts';
import { cardReader } from './read.ts';
import { excluding, including } from './rules.ts';
import { cardTarget, onCard, setOnCard } from './write.ts';

/** Serves the requests on cards and on their assignees (CONTRACT 5.1 to 5.8, CONTRACT 6.4). */
export const serveCards = (context: ServiceContext): void => {
  const { bus, db } = context;
  // All kinds of reads share one cache of documents.
  const documents = rememberDocuments(db);
  bus.serve(contracts.getCard, cardReader(context, documents));
  bus.serve(contracts.getCardByIdentifier, cardFinder(context, documents));
  bus.serve(contracts.listCards, listCards(context, documents));
  bus.serve(contracts.searchCards, listAllCards(context, documents));

  bus.serve(contracts.createCard, cardMaker(context));

  // All kinds of edits share one editor, so that edits that arrive together share statements.
  const { editOne, editAll } = cardEditor(context);
  const moves = cardMoves(context);
  bus.serve(contracts.moveCard, moves.move);
  bus.serve(contracts.restoreCard, moves.restore);
  bus.serve(contracts.patchCard, ({ body, ...request }) => editOne(request, body));
  bus.serve(contracts.transferCard, ({ body, ...request }) => editOne(request, body));
  bus.serve(contracts.archiveCard, (request) => editOne(request, { archived: true }));

  serveBulk(context, editAll, moves);

  /**
   * Deletes a card and its parts for good (CONTRACT 5.6). Its identifiers stay in the ledger, and no other card gets
   * them.
   */
  bus.serve(contracts.deleteCard, async (request) => {
    const { resource } = await runWrite(context, request, {
      ...cardTarget(request),
      deletes: true,
      write: async (tx, { card }, now) => {
        const { workspace_id: workspaceId, id, version, board_id, identifier } = card;
        // One above the card's last version, so that projections apply the event as newer.
        const aggregate = { id, version: version + 1 };
        const data = { board_id, identifier };
        const event = newInternalEvent(contracts.cardDeleted, { workspaceId, aggregate, data, now });
        await deleteCardRow(tx, card);
        // The stored answer has the event too: a replay hands it over where the first process crashed before it could.
        return { deleted: true as const, event };
      },
      event: ({ card }, { event }, now) => ({
        ...eventOf('card.deleted', request, now, { ...onCard(card), before: toCard(card) }),
        internal: [event],
      }),
    });
    // Without this call, the dependency service could refuse the next dependency for a cycle through the deleted card.
    // The attachment service needs no call: it asks this service for card and subtask before it shows or writes a cover
    // or a link.
    if (resource.event) await bus.callBestEffort(contracts.projectCardDeleted, resource.event);
    return { deleted: true } as const;
  });

  bus.serve(contracts.putAssignee, ({ assignee_user_id, ...request }) =>
    setOnCard(context, request, (_tx, { assignee_user_ids: ids }) => ({
      assignee_user_ids: including(ids, assignee_user_id, 'assignees'),
    })),
  );

  bus.serve(contracts.deleteAssignee, ({ assignee_user_id, ...request }) =>
    setOnCard(context, request, (_tx, { assignee_user_ids: ids }) => ({
      assignee_user_ids: excluding(ids, assignee_user_id),
    })),
  );
};
