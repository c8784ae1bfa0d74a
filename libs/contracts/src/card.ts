import { z } from 'zod';
import { defineEvent, defineRequest } from './bus.ts';
import { operation } from './operation.ts';
import { changed, created, current, deleted, listed, versioned } from './response.ts';
import { archived, flag, notEmpty, position, text, timestamp, trimmedText, uuid, version } from './scalars.ts';
import { workstreamSummary } from './workstream.ts';

export const priority = z.enum(['super_urgent', 'urgent', 'important', 'nice_to_have']);

/** A card as clients see it (specification, "Card"). */
export const card = z
  .object({
    id: uuid,
    type: z.literal('card'),
    version,
    board_id: uuid,
    column_id: uuid,
    title: z.string(),
    description: z.string().nullable(),
    position: z.number(),
    due_date: timestamp.nullable(),
    priority: priority.nullable(),
    completed_at: timestamp.nullable(),
    archived_at: timestamp.nullable(),
    created_by: uuid,
    created_at: timestamp,
    updated_at: timestamp,
    assignee_user_ids: z.array(uuid),
    label_ids: z.array(uuid),
    subtask_total: z.int().min(0),
    subtask_completed: z.int().min(0),
    comment_count: z.int().min(0),
    identifier: z.string(),
    workstream: workstreamSummary,
  })
  .meta({ id: 'Card' });
export type Card = z.infer<typeof card>;

const fields = {
  title: trimmedText(240),
  description: text({ max: 20_000 }).nullable(),
  due_date: timestamp.nullable(),
  priority: priority.nullable(),
};

export const createCardBody = z.strictObject({
  title: fields.title,
  description: fields.description.optional(),
  due_date: fields.due_date.optional(),
  priority: fields.priority.optional(),
  workstream_id: uuid.optional(),
});
export type CreateCardBody = z.infer<typeof createCardBody>;

export const patchCardBody = z
  .strictObject({
    title: fields.title.optional(),
    description: fields.description.optional(),
    due_date: fields.due_date.optional(),
    priority: fields.priority.optional(),
    completed: z.boolean().optional(),
    workstream_id: uuid.optional(),
  })
  .refine(...notEmpty);
export type PatchCardBody = z.infer<typeof patchCardBody>;

export const transferCardBody = z.strictObject({ workstream_id: uuid });

/** Where a card goes: a column of its board and at most one way to name the place in it (default: the start). */
export const moveCardBody = z
  .strictObject({
    column_id: uuid.optional(),
    before_card_id: uuid.optional(),
    after_card_id: uuid.optional(),
    position: position.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must name a column or a position')
  .refine(
    (body) =>
      [body.before_card_id, body.after_card_id, body.position].filter((place) => place !== undefined).length <= 1,
    'must name at most one of before_card_id, after_card_id and position',
  );
export type MoveCardBody = z.infer<typeof moveCardBody>;

/** What narrows a list of cards; all combine by AND. */
export const cardFilters = z.strictObject({
  column_id: uuid.optional(),
  assignee_user_id: uuid.optional(),
  label_id: uuid.optional(),
  workstream_id: uuid.optional(),
  priority: priority.optional(),
  archived,
  completed: flag.optional().describe('Left out: both completed and incomplete cards'),
  blocked: flag.optional().describe('Whether the card has a dependency that is not completed'),
  due_before: timestamp.optional().describe('Cards that are due before this moment, not at it'),
  due_after: timestamp.optional().describe('Cards that are due after this moment, not at it'),
  q: text({ min: 1, max: 240 })
    .optional()
    .describe(
      'A part of the title as it stands, blanks too; letters by full case folding (`ss` finds `ß`), no wildcards',
    ),
});
export type CardFilters = z.infer<typeof cardFilters>;

export const cardDeleted = defineEvent('card.deleted', 1, z.object({ board_id: uuid, identifier: z.string() }));

export const createCard = operation({
  id: 'createCard',
  service: 'card',
  method: 'POST',
  path: '/columns/:column_id/cards',
  tag: 'Cards',
  summary: 'Create a card at the start of a column',
  description:
    'Without `workstream_id` the card is filed under the default workstream of its board, else under that of the workspace. The server gives it the next identifier of its workstream.',
  requires: ['Idempotency-Key'],
  body: createCardBody,
  reply: created(card, 'cards'),
  refusals: ['not_found', 'conflict'],
  example: { title: 'Refunds fail for gift cards', priority: 'urgent' },
});

export const getCard = operation({
  id: 'getCard',
  service: 'card',
  method: 'GET',
  path: '/cards/:card_id',
  tag: 'Cards',
  summary: 'Read a card',
  reply: versioned(card),
});

export const listCards = operation({
  id: 'listCards',
  service: 'card',
  method: 'GET',
  path: '/boards/:board_id/cards',
  tag: 'Cards',
  summary: 'List the cards of a board',
  description: 'Ordered by column, then position, then id. All filters must hold.',
  filters: cardFilters,
  reply: listed(card),
});

export const patchCard = operation({
  id: 'patchCard',
  service: 'card',
  method: 'PATCH',
  path: '/cards/:card_id',
  tag: 'Cards',
  summary: 'Edit a card',
  description:
    'With `workstream_id` the card is transferred as well, both or neither, and its version rises by two. null clears `description`, `due_date` and `priority`.',
  requires: ['If-Match'],
  body: patchCardBody,
  reply: changed(card),
  refusals: ['not_found', 'conflict'],
  example: { title: 'Refunds fail for gift cards of 2025', due_date: '2030-01-31T17:00:00Z' },
});

export const moveCard = operation({
  id: 'moveCard',
  service: 'card',
  method: 'POST',
  path: '/cards/:card_id/move',
  tag: 'Cards',
  summary: 'Move a card within its board',
  description: 'To the start of the column where no place is named. Its identifier stays.',
  requires: ['If-Match', 'Idempotency-Key'],
  body: moveCardBody,
  reply: changed(card),
  refusals: ['validation_error', 'conflict'],
  example: { position: 'end' },
});

export const transferCard = operation({
  id: 'transferCard',
  service: 'card',
  method: 'POST',
  path: '/cards/:card_id/workstream',
  tag: 'Cards',
  summary: 'Transfer a card to another workstream',
  description: 'The card gets the next identifier there; its former one stays its alias for ever.',
  requires: ['If-Match', 'Idempotency-Key'],
  body: transferCardBody,
  reply: changed(card),
  refusals: ['not_found', 'conflict'],
  example: { workstream_id: '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b' },
});

export const archiveCard = operation({
  id: 'archiveCard',
  service: 'card',
  method: 'POST',
  path: '/cards/:card_id/archive',
  tag: 'Cards',
  summary: 'Archive a card',
  requires: ['If-Match', 'Idempotency-Key'],
  reply: changed(card),
  refusals: ['conflict'],
});

export const restoreCard = operation({
  id: 'restoreCard',
  service: 'card',
  method: 'POST',
  path: '/cards/:card_id/restore',
  tag: 'Cards',
  summary: 'Restore an archived card',
  description: 'To its own column, or to the first active one where that is archived.',
  requires: ['If-Match', 'Idempotency-Key'],
  reply: changed(card),
  refusals: ['conflict'],
});

export const deleteCard = operation({
  id: 'deleteCard',
  service: 'card',
  method: 'DELETE',
  path: '/cards/:card_id',
  tag: 'Cards',
  summary: 'Delete a card for good',
  description: 'Its identifiers answer 404 from then on and are never issued again.',
  scope: 'kanban:admin',
  requires: ['If-Match'],
  reply: deleted(),
  refusals: ['conflict'],
});

export const putAssignee = operation({
  id: 'putCardAssignee',
  service: 'card',
  verb: 'put-assignee',
  method: 'PUT',
  path: '/cards/:card_id/assignees/:user_id',
  as: { user_id: 'assignee_user_id' },
  tag: 'Cards',
  summary: 'Assign a card to a user',
  reply: current(card),
  refusals: ['conflict'],
});

export const deleteAssignee = operation({
  id: 'deleteCardAssignee',
  service: 'card',
  verb: 'delete-assignee',
  method: 'DELETE',
  path: '/cards/:card_id/assignees/:user_id',
  as: { user_id: 'assignee_user_id' },
  tag: 'Cards',
  summary: 'Take a card off a user',
  reply: deleted(card),
  refusals: ['conflict'],
});

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
