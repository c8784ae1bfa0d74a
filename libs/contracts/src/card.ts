import { z } from 'zod';
import { defineInternalEvent, defineProjection, defineRequest } from './bus.ts';
import { cardIdOrIdentifier, maxIdentifier } from './card-identifier.ts';
import { operationsOf } from './operation.ts';
import { changed, created, current, deleted, listed, versioned } from './response.ts';
import {
  anyOf,
  archivedAt,
  atMost,
  createdBy,
  doc,
  head,
  oneOfThree,
  position,
  shown,
  someOf,
  text,
  times,
  timestamp,
  trimmedText,
  uuid,
} from './scalars.ts';
import { workstreamSummary } from './workstream.ts';

export const priority = z.enum(['super_urgent', 'urgent', 'important', 'nice_to_have']);

/** Most assignees, and most labels, of a card (CONTRACT 6.7). */
export const maxMarks = 100;

/** A card as clients see it (CONTRACT 5.1). */
export const card = z
  .object({
    ...head('card'),
    board_id: doc(uuid, 'The board that it is on.'),
    column_id: doc(uuid, 'The column that it is in.'),
    title: doc(shown(240), 'What is to be done.', 'Refunds fail for gift cards'),
    description: doc(shown(20_000).nullable(), 'More of it; null for nothing.', 'Since the release of Monday.'),
    position: doc(z.number(), 'Its place in the column, ascending from the top.', 1.5),
    due_date: doc(timestamp.nullable(), 'When it must be done; null for no such time.'),
    priority: doc(priority.nullable(), 'How urgent it is; null when it is not set.', 'urgent'),
    completed_at: doc(timestamp.nullable(), 'When it was completed; null while it is open.', null),
    archived_at: archivedAt,
    created_by: createdBy,
    ...times,
    assignee_user_ids: doc(atMost(maxMarks, uuid), 'The users who work on it.'),
    label_ids: doc(atMost(maxMarks, uuid), 'The labels that it carries.'),
    subtask_total: doc(z.int().min(0), 'How many subtasks it has.', 4),
    subtask_completed: doc(z.int().min(0), 'How many of them are completed.', 1),
    comment_count: doc(z.int().min(0), 'How many comments it has.', 2),
    identifier: doc(shown(maxIdentifier), 'Its identifier at present; every former one stays its alias.', 'PAY-7'),
    workstream: workstreamSummary,
  })
  .meta({ id: 'Card', description: 'A piece of work, with an identifier that never breaks.' });
export type Card = z.infer<typeof card>;

const fields = {
  title: doc(trimmedText(240), 'What is to be done.', 'Refunds fail for gift cards'),
  description: doc(text({ max: 20_000 }).nullable(), 'More of it; null for nothing.', 'Since the release of Monday.'),
  due_date: doc(timestamp.nullable(), 'When it must be done; null for no such time.'),
  priority: card.shape.priority,
  workstream_id: doc(uuid, 'The workstream that gives it its identifier.'),
};

const marks = z.array(uuid).max(maxMarks);

export const createCardBody = z
  .strictObject({
    ...fields,
    assignee_user_ids: doc(marks, 'The users who work on it.'),
    label_ids: doc(marks, 'The labels that it carries; all are there, or no card is made.'),
  })
  .partial({
    description: true,
    due_date: true,
    priority: true,
    workstream_id: true,
    assignee_user_ids: true,
    label_ids: true,
  });
export type CreateCardBody = z.infer<typeof createCardBody>;

const { workstream_id, ...edited } = fields;
export const patchCardBody = someOf({
  ...edited,
  completed: doc(z.boolean(), 'Whether it is done.', true),
  workstream_id,
});
export type PatchCardBody = z.infer<typeof patchCardBody>;

export const transferCardBody = z.strictObject({ workstream_id });

/** Where a card goes: a column of any board, and the place in it, named in at most one way (default: the start). */
export const moveCardBody = oneOfThree(
  z
    .strictObject({
      column_id: doc(uuid, 'The column that it goes to, of its board; without it, its own.'),
      before_card_id: doc(uuid, 'The card that it goes before.'),
      after_card_id: doc(uuid, 'The card that it goes after.'),
      position: position,
    })
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'must name a column or a position'),
  ['before_card_id', 'after_card_id', 'position'],
);
export type MoveCardBody = z.infer<typeof moveCardBody>;

const none = z.literal('none');

/** Filters of a list of cards. They combine by AND, several values of one by OR (CONTRACT 5.7). */
export const cardFilters = z.strictObject({
  column_id: doc(anyOf(uuid).optional(), 'Cards in this column'),
  assignee_user_id: doc(
    anyOf(z.union([uuid, z.enum(['me', 'none'])])).optional(),
    'Cards assigned to this user; `me` is the caller, `none` finds those assigned to nobody',
  ),
  label_id: doc(
    anyOf(z.union([uuid, none])).optional(),
    'Cards that carry this label; `none` finds those without labels',
  ),
  workstream_id: doc(anyOf(uuid).optional(), 'Cards of this workstream'),
  priority: doc(
    anyOf(z.enum([...priority.options, 'none'])).optional(),
    'Cards of this priority; `none` finds those without one',
  ),
  archived: z
    .union([z.boolean(), z.literal('any')])
    .default(false)
    .describe('true: only archived cards; false: only active ones; `any`: both'),
  completed: z.boolean().optional().describe('Left out: both completed and incomplete cards'),
  blocked: z.boolean().optional().describe('Whether the card has a dependency that is not completed'),
  due_before: timestamp.optional().describe('Cards that are due before this moment, not at it'),
  due_after: timestamp.optional().describe('Cards that are due after this moment, not at it'),
  updated_after: timestamp.optional().describe('Cards that were changed after this moment, not at it'),
  q: text({ min: 1, max: 240 })
    .optional()
    .describe(
      'A part of the title as it stands, blanks too; letters by full case folding (`ss` finds `ß`), no wildcards',
    ),
});
export type CardFilters = z.infer<typeof cardFilters>;

/** The same for cards of all boards, with their order. */
export const allCardsFilters = z.strictObject({
  card: doc(
    anyOf(cardIdOrIdentifier).optional(),
    'This card: its id, or an identifier that it has or ever had. One that you do not see, or that never existed, is left out',
  ),
  board_id: doc(anyOf(uuid).optional(), 'Cards on this board'),
  ...cardFilters.shape,
  sort: z
    .enum(['-created', 'created', 'due', 'updated', '-updated'])
    .default('-created')
    .describe(
      'The newest first, the oldest first, by `due_date`, where cards without one come last, or by `updated_at`: what was changed last comes last, or with `-updated` first',
    ),
});

export const cardDeleted = defineInternalEvent('card.deleted', 1, z.object({ board_id: uuid, identifier: z.string() }));

const operation = operationsOf('card', 'Cards');

export const createCard = operation('createCard', 'POST /columns/:column_id/cards', {
  tool: { name: 'create_card' },
  summary: 'Create a card at the start of a column',
  description:
    'Without `workstream_id` the card is filed under the default workstream of its board, else under that of the workspace. The server gives it the next identifier of its workstream.',
  body: createCardBody,
  reply: created(card, 'cards'),
  emits: ['card.created'],
  refusals: ['not_found', 'conflict'],
  example: { title: 'Refunds fail for gift cards', priority: 'urgent' },
});

export const getCard = operation('getCard', 'GET /cards/:card_id', {
  tool: {
    name: 'read_card',
    along: {
      identifiers: 'listIdentifiers',
      dependencies: 'listDependencies',
      dependents: 'listDependents',
      comments: 'listComments',
    },
  },
  summary: 'Read a card',
  reply: versioned(card),
});

export const listCards = operation('listCards', 'GET /boards/:board_id/cards', {
  summary: 'List the cards of a board',
  description:
    'Ordered by column, then position, then id. All filters must hold; of one that is given several times, any of its values.',
  filters: cardFilters,
  reply: listed(card),
});

export const searchCards = operation('searchCards', 'GET /cards', {
  tool: { name: 'find_cards' },
  summary: 'List the cards of all boards',
  description:
    'Of those that the caller sees and that are not deleted. All filters must hold; of one that is given several times, any of its values.',
  filters: allCardsFilters,
  reply: listed(card),
});

export const patchCard = operation('patchCard', 'PATCH /cards/:card_id', {
  tool: { name: 'update_card' },
  summary: 'Edit a card',
  description:
    'With `workstream_id` the card is transferred as well, both or neither, and its version rises by two. null clears `description`, `due_date` and `priority`.',
  body: patchCardBody,
  reply: changed(card),
  emits: ['card.updated', 'card.transferred'],
  refusals: ['not_found', 'conflict'],
  example: { title: 'Refunds fail for gift cards of 2025', due_date: '2030-01-31T17:00:00Z' },
});

export const moveCard = operation('moveCard', 'POST /cards/:card_id/move', {
  tool: { name: 'move_card' },
  summary: 'Move a card',
  description:
    'To the start of the column where no place is named. The column may be one of another board that takes cards; its identifier, and all that hangs on it, stay.',
  body: moveCardBody,
  reply: changed(card),
  emits: ['card.moved'],
  refusals: ['validation_error', 'conflict'],
  example: { position: 'end' },
});

export const transferCard = operation('transferCard', 'POST /cards/:card_id/workstream', {
  tool: { name: 'transfer_card' },
  summary: 'Transfer a card to another workstream',
  description: 'The card gets the next identifier there; its former one stays its alias for ever.',
  body: transferCardBody,
  reply: changed(card),
  emits: ['card.transferred'],
  refusals: ['not_found', 'conflict'],
  example: { workstream_id: '0197c2f0-8d5e-7c41-9a3b-5f0c1d2e3a4b' },
});

export const archiveCard = operation('archiveCard', 'POST /cards/:card_id/archive', {
  summary: 'Archive a card',
  description:
    'It leaves the lists of active cards and stays editable, but is not moved. Archiving it again changes nothing.',
  reply: changed(card),
  emits: ['card.archived'],
  refusals: ['conflict'],
});

export const restoreCard = operation('restoreCard', 'POST /cards/:card_id/restore', {
  summary: 'Restore an archived card',
  description: 'To its own column, or to the first active one where that is archived.',
  reply: changed(card),
  emits: ['card.restored'],
  refusals: ['conflict'],
});

export const deleteCard = operation('deleteCard', 'DELETE /cards/:card_id', {
  summary: 'Delete a card for good',
  description: 'Its identifiers answer 404 from then on and are never issued again.',
  scope: 'kanban:admin',
  requires: ['If-Match'],
  reply: deleted(),
  emits: ['card.deleted'],
  refusals: ['conflict'],
});

export const putAssignee = operation('putCardAssignee', 'PUT /cards/:card_id/assignees/:user_id', {
  verb: 'put-assignee',
  as: { user_id: 'assignee_user_id' },
  tool: { name: 'assign_card' },
  summary: 'Assign a card to a user',
  description: 'Again changes nothing. A card has 100 assignees at most: 409 above.',
  reply: current(card),
  emits: ['card.updated'],
  refusals: ['conflict'],
});

export const deleteAssignee = operation('deleteCardAssignee', 'DELETE /cards/:card_id/assignees/:user_id', {
  verb: 'delete-assignee',
  as: { user_id: 'assignee_user_id' },
  tool: { name: 'unassign_card' },
  summary: 'Take a card off a user',
  description: 'One whom it is not assigned to: 204 too.',
  reply: deleted(card),
  emits: ['card.updated'],
  refusals: ['conflict'],
});

/** Hands a card's deletion to the dependency service before its writer is answered. */
export const projectCardDeleted = defineProjection('dependency.project-card-deleted', cardDeleted, 'card');

/** Answers which cards and subtasks of a workspace exist, on all boards, to rebuild projections of deleted ones. */
export const findExisting = defineRequest(
  'card.find-existing',
  z.object({ workspace_id: uuid, ids: z.array(uuid).min(1).max(1000) }),
  z.object({ existing: z.array(uuid) }),
  [],
  ['dependency', 'attachment'],
);
