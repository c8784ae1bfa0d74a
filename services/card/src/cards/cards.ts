import * as contracts from '@cardinal/contracts';
import { appendEvents } from '@cardinal/db';
import type { ServiceContext } from '../context.ts';
import { getCard } from '../handlers/get-card.ts';
import { listCards } from '../handlers/list-cards.ts';
import { lookUpCard, lookUpIdentifier } from '../handlers/look-up-card.ts';
import { rememberDocuments } from '../store/card-documents.ts';
import { deleteCardRow } from '../store/cards.ts';
import { cardEditor } from '../writing/edit-card.ts';
import { cardMaker } from './create.ts';
import { cardDeletedEvent } from './events.ts';
import { serveCardMoves } from './move.ts';
import { excluding, including } from './rules.ts';
import { cardTarget, writeCard, writeOnCard } from './write.ts';

/** Cards, and who they are assigned to. */
export const serveCards = (context: ServiceContext): void => {
  const { bus, db } = context;
  // What one read has written, the others need not write again.
  const documents = rememberDocuments(db);
  bus.serve(contracts.getCard, getCard(context, documents));
  bus.serve(contracts.lookUpCard, lookUpCard(context, documents));
  bus.serve(contracts.lookUpIdentifier, lookUpIdentifier(context, documents));
  bus.serve(contracts.listCards, listCards(context, documents));

  /** With the next number of its workstream. */
  bus.serve(contracts.createCard, cardMaker(context));

  // One for all, so that edits of every kind that arrive together share their statements.
  const editCard = cardEditor(context);
  serveCardMoves(context, editCard);

  /** With `workstream_id` it is transferred in the same change. */
  bus.serve(contracts.patchCard, ({ body, ...request }) => editCard(request, body));

  /** Files it under another workstream, where it gets a new identifier. */
  bus.serve(contracts.transferCard, ({ body, ...request }) => editCard(request, body));

  /** It keeps its place; one that is archived stays as it is. */
  bus.serve(contracts.archiveCard, (request) => editCard(request, { archived: true }));

  /**
   * With what hangs on it, for good. Its identifiers stay taken: the identifier service never gives a number out twice.
   */
  bus.serve(contracts.deleteCard, async (request) => {
    const { resource } = await writeOnCard(context, request, {
      ...cardTarget(request),
      deletes: true,
      write: async (tx, { card }, now) => {
        await deleteCardRow(tx, card.workspace_id, card.id);
        const event = cardDeletedEvent(card.workspace_id, card, now);
        await appendEvents(tx, [event]);
        // The stored answer keeps the event too: whoever deleted the card may have died before telling of it.
        return { deleted: true as const, event };
      },
    });
    // A dependency put next must not meet a cycle through the card. The attachment service needs no such word: before it
    // shows or writes a cover or a link it asks here whether card and subtask exist.
    if (resource.event) await bus.tell(contracts.projectCardDeleted, resource.event);
    return { deleted: true } as const;
  });

  /** One who has it already is not assigned twice. */
  bus.serve(contracts.putAssignee, async ({ assignee_user_id, ...request }) => {
    const { resource } = await writeCard(context, request, (_tx, card) => ({
      assignee_user_ids: including(card.assignee_user_ids, assignee_user_id, 'assignees'),
    }));
    return resource;
  });

  bus.serve(contracts.deleteAssignee, async ({ assignee_user_id, ...request }) => {
    const { resource } = await writeCard(context, request, (_tx, card) => ({
      assignee_user_ids: excluding(card.assignee_user_ids, assignee_user_id),
    }));
    return resource;
  });
};
