import { z } from 'zod';
import { defineEvent } from '../bus/event.ts';
import { timestamp, uuid } from '../scalars.ts';

/** What other services may need to know of a card. */
const cardState = z.object({
  board_id: uuid,
  title: z.string(),
  identifier: z.string(),
  workstream_id: uuid,
  completed_at: timestamp.nullable(),
  archived_at: timestamp.nullable(),
});

/** The card got the identifier `identifier`, when it was created or transferred; `operation_id` is the command's. */
const issued = cardState.extend({ operation_id: uuid });

export const cardCreated = defineEvent('card.created', 1, issued);
export const cardTransferred = defineEvent('card.transferred', 1, issued);
export const cardUpdated = defineEvent('card.updated', 1, cardState);
export const cardDeleted = defineEvent('card.deleted', 1, z.object({ board_id: uuid, identifier: z.string() }));
