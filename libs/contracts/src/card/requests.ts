import { z } from 'zod';
import { caller, commandBy, defineRequest, ifMatch, outcomeOf, pageReply, pageRequest } from '../bus/request.ts';
import { issuedIdentifier } from '../identifier/requests.ts';
import { uuid } from '../scalars.ts';
import { workstream } from '../workstream/resource.ts';
import { cardDeleted } from './events.ts';
import {
  card,
  cardFilters,
  cardReference,
  createCardBody,
  moveCardBody,
  patchCardBody,
  transferCardBody,
} from './resource.ts';

const one = caller.extend({ card_id: uuid });
const versioned = commandBy.extend({ card_id: uuid, if_match: ifMatch });

export const createCard = defineRequest(
  'card.create-card',
  commandBy.extend({ column_id: uuid, body: createCardBody }),
  outcomeOf(card),
  ['not_found', 'conflict'],
);
export const getCard = defineRequest('card.get-card', one, card);
/** The card half of a lookup by identifier. */
export const lookUpCard = defineRequest('card.look-up-card', one, z.object({ card, reference: cardReference }));
export const listCards = defineRequest(
  'card.list-cards',
  caller.extend({ board_id: uuid, filters: cardFilters, page: pageRequest }),
  pageReply(card),
);
export const patchCard = defineRequest('card.patch-card', versioned.extend({ body: patchCardBody }), outcomeOf(card), [
  'not_found',
  'conflict',
]);
export const transferCard = defineRequest(
  'card.transfer-card',
  versioned.extend({ body: transferCardBody }),
  outcomeOf(card),
  ['not_found', 'conflict'],
);
export const moveCard = defineRequest('card.move-card', versioned.extend({ body: moveCardBody }), outcomeOf(card), [
  'validation_error',
  'conflict',
]);
export const archiveCard = defineRequest('card.archive-card', versioned, outcomeOf(card), ['conflict']);
export const restoreCard = defineRequest('card.restore-card', versioned, outcomeOf(card), ['conflict']);
export const deleteCard = defineRequest('card.delete-card', versioned, z.object({ deleted: z.literal(true) }), [
  'conflict',
]);

/** The card that has an identifier, or had it so lately that the ledger may not know; 404 where the ledger must tell. */
export const lookUpIdentifier = defineRequest(
  'card.look-up-identifier',
  caller.extend({ identifier: z.string() }),
  lookUpCard.reply,
  ['not_found'],
);

/** A card's current identifier, and those of its identifiers that the ledger may not know yet. */
export const listUnrecorded = defineRequest(
  'card.list-unrecorded',
  one,
  z.object({ current_identifier: z.string(), unrecorded: z.array(issuedIdentifier) }),
);

/** Ends the range of a workstream for good: once it is answered, no number of it is issued any more. */
export const closeRange = defineRequest(
  'card.close-range',
  z.object({ workspace_id: uuid, workstream }),
  z.object({ closed: z.literal(true) }),
  [],
  ['identifier'],
);

/**
 * Hands a card's end to the dependency service before its writer is answered, so that the next dependency meets none of
 * the card's (architecture, "Read your writes, across services"). JetStream delivers the same event again.
 */
export const projectCardDeleted = defineRequest(
  'dependency.project-card-deleted',
  cardDeleted.schema,
  z.object({ applied: z.boolean() }),
  [],
  ['card'],
);
