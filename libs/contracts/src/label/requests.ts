import { z } from 'zod';
import { caller, commandBy, defineRequest, ifMatch, outcomeOf, pageReply, pageRequest } from '../bus/request.ts';
import { card } from '../card/resource.ts';
import { uuid } from '../scalars.ts';
import { createLabelBody, label, patchLabelBody } from './resource.ts';

const versioned = commandBy.extend({ label_id: uuid, if_match: ifMatch });
const onCard = caller.extend({ card_id: uuid, label_id: uuid });

export const createLabel = defineRequest(
  'card.create-label',
  commandBy.extend({ body: createLabelBody }),
  outcomeOf(label),
);
export const getLabel = defineRequest('card.get-label', caller.extend({ label_id: uuid }), label);
export const listLabels = defineRequest('card.list-labels', caller.extend({ page: pageRequest }), pageReply(label));
export const patchLabel = defineRequest(
  'card.patch-label',
  versioned.extend({ body: patchLabelBody }),
  outcomeOf(label),
);
/** Cards that carried the label lose it. */
export const deleteLabel = defineRequest('card.delete-label', versioned, z.object({ deleted: z.literal(true) }));

/** Desired state: the card carries the label. */
export const putCardLabel = defineRequest('card.put-card-label', onCard, card, ['conflict']);
export const deleteCardLabel = defineRequest('card.delete-card-label', onCard, card, ['conflict']);
