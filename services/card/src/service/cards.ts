import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { archiveCard } from '../handlers/archive-card.ts';
import { createCard } from '../handlers/create-card.ts';
import { deleteAssignee } from '../handlers/delete-assignee.ts';
import { deleteCard } from '../handlers/delete-card.ts';
import { getCard } from '../handlers/get-card.ts';
import { listCards } from '../handlers/list-cards.ts';
import { lookUpCard, lookUpIdentifier } from '../handlers/look-up-card.ts';
import { moveCard } from '../handlers/move-card.ts';
import { patchCard } from '../handlers/patch-card.ts';
import { projectDependency } from '../handlers/project-dependency.ts';
import { putAssignee } from '../handlers/put-assignee.ts';
import { restoreCard } from '../handlers/restore-card.ts';
import { summarizeCards } from '../handlers/summarize-cards.ts';
import { transferCard } from '../handlers/transfer-card.ts';
import type { Parts } from '../parts.ts';
import { serveProjection } from '../projection.ts';
import { cardEditor } from '../writing/edit-card.ts';

/** Cards, and who and what they are marked with. */
export const serveCards = (bus: Pick<Bus, 'serve' | 'consume'>, parts: Parts): void => {
  // One for all, so that edits of every kind that arrive together share their statements.
  const editCard = cardEditor(parts);

  bus.serve(contracts.createCard, createCard(parts));
  bus.serve(contracts.getCard, getCard(parts));
  bus.serve(contracts.lookUpCard, lookUpCard(parts));
  bus.serve(contracts.lookUpIdentifier, lookUpIdentifier(parts));
  bus.serve(contracts.summarizeCards, summarizeCards(parts));
  bus.serve(contracts.listCards, listCards(parts));
  bus.serve(contracts.patchCard, patchCard(editCard));
  bus.serve(contracts.transferCard, transferCard(editCard));
  bus.serve(contracts.moveCard, moveCard(parts));
  bus.serve(contracts.archiveCard, archiveCard(editCard));
  bus.serve(contracts.restoreCard, restoreCard(parts, editCard));
  bus.serve(contracts.deleteCard, deleteCard(parts));

  bus.serve(contracts.putAssignee, putAssignee(parts));
  bus.serve(contracts.deleteAssignee, deleteAssignee(parts));

  // The projection of dependencies, from which lookups count and lists tell what is blocked.
  serveProjection(bus, parts, {
    told: contracts.projectDependency,
    consumer: contracts.consumers.cardOfDependencies,
    project: projectDependency(parts),
  });
};
