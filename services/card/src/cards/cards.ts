import * as contracts from '@cardinal/contracts';
import { appendEvents, newEvent } from '@cardinal/db';
import { runWrite } from '@cardinal/service';
import type { ServiceContext } from '../context.ts';
import { cardMaker } from './create.ts';
import { rememberDocuments } from './documents.ts';
import { cardEditor } from './edit.ts';
import { listCards } from './list.ts';
import { cardFinder } from './look-up.ts';
import { serveCardMoves } from './move.ts';
import { deleteCardRow } from './queries.ts';
import { cardReader } from './read.ts';
import { excluding, including } from './rules.ts';
import { cardTarget, setOnCard } from './write.ts';

/** Cards, and who they are assigned to. */
export const serveCards = (context: ServiceContext): void => {
  const { bus, db } = context;
  // What one read has written, the others need not write again.
  const documents = rememberDocuments(db);
  bus.serve(contracts.getCard, cardReader(context, documents));
  bus.serve(contracts.getCardByIdentifier, cardFinder(context, documents));
  bus.serve(contracts.listCards, listCards(context, documents));

  bus.serve(contracts.createCard, cardMaker(context));

  // One for all, so that edits of every kind that arrive together share their statements.
  const editCard = cardEditor(context);
  serveCardMoves(context);
  bus.serve(contracts.patchCard, ({ body, ...request }) => editCard(request, body));
  bus.serve(contracts.transferCard, ({ body, ...request }) => editCard(request, body));
  bus.serve(contracts.archiveCard, (request) => editCard(request, { archived: true }));

  /** With what hangs on it, for good. Its identifiers stay taken: the identifier service never gives a number out twice. */
  bus.serve(contracts.deleteCard, async (request) => {
    const { resource } = await runWrite(context, request, {
      ...cardTarget(request),
      deletes: true,
      write: async (tx, { card }, now) => {
        const { workspace_id: workspaceId, id, version, board_id, identifier } = card;
        // One version above the card's last state, so that the event wins over that.
        const aggregate = { id, version: version + 1 };
        const event = newEvent(contracts.cardDeleted, { workspaceId, aggregate, data: { board_id, identifier }, now });
        await deleteCardRow(tx, card);
        await appendEvents(tx, [event]);
        // The stored answer keeps the event too: whoever deleted the card may have died before telling of it.
        return { deleted: true as const, event };
      },
    });
    // A dependency put next must not meet a cycle through the card. The attachment service needs no such word: before it
    // shows or writes a cover or a link it asks here whether card and subtask exist.
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
