import { z } from 'zod';
import { caller, commandBy, defineRequest, ifMatch, outcomeOf, pageReply, pageRequest } from '../bus/request.ts';
import { timestamp, uuid, version } from '../scalars.ts';
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

/**
 * What became of an operation that the identifier service still holds as pending. The card service drives a pending
 * one to its end before it answers. `unknown`: it ended and was confirmed, or never was.
 */
export const settleOperation = defineRequest(
  'card.settle-operation',
  z.object({ workspace_id: uuid, operation_id: uuid }),
  z.discriminatedUnion('result', [
    z.object({ result: z.literal('committed'), card_version: version, assigned_at: timestamp }),
    z.object({ result: z.literal('unknown') }),
  ]),
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
