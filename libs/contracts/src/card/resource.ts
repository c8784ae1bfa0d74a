import { z } from 'zod';
import { text, timestamp, trimmedText, uuid, version } from '../scalars.ts';
import { workstreamSummary } from '../workstream/resource.ts';

export const priority = z.enum(['super_urgent', 'urgent', 'important', 'nice_to_have']);

/** A card as clients see it (specification, "Card"). */
export const card = z.object({
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
});
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
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field');
export type PatchCardBody = z.infer<typeof patchCardBody>;

export const transferCardBody = z.strictObject({ workstream_id: uuid });

/** Where a card goes: a column of its board and at most one way to name the place in it (default: the start). */
export const moveCardBody = z
  .strictObject({
    column_id: uuid.optional(),
    before_card_id: uuid.optional(),
    after_card_id: uuid.optional(),
    position: z.union([z.number(), z.enum(['start', 'end'])]).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must name a column or a position')
  .refine(
    (body) =>
      [body.before_card_id, body.after_card_id, body.position].filter((place) => place !== undefined).length <= 1,
    'must name at most one of before_card_id, after_card_id and position',
  );
export type MoveCardBody = z.infer<typeof moveCardBody>;

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Filters of `GET /boards/{board_id}/cards` as they stand in the query; all combine by AND. */
export const cardFiltersQuery = z.strictObject({
  column_id: uuid.optional(),
  assignee_user_id: uuid.optional(),
  label_id: uuid.optional(),
  workstream_id: uuid.optional(),
  priority: priority.optional(),
  archived: flag.prefault('false').describe('true: only what is archived; false: only what is active'),
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

/** The same filters between services. */
export const cardFilters = cardFiltersQuery.extend({
  archived: z.boolean(),
  completed: z.boolean().optional(),
  blocked: z.boolean().optional(),
});
export type CardFilters = z.infer<typeof cardFilters>;

/** Board context and dependency counts that a lookup adds to the card. */
export const cardReference = z.object({
  board_name: z.string(),
  board_archived_at: timestamp.nullable(),
  board_deleted_at: timestamp.nullable(),
  deleted_at: timestamp.nullable(),
  dependency_count: z.int().min(0),
  dependent_count: z.int().min(0),
});

/** The result of a lookup by identifier (specification, "Identifier lookup result"). */
export const cardResolvedView = z.object({
  card,
  reference: cardReference,
  resolved_identifier: z.string(),
  is_alias: z.boolean(),
  current_identifier: z.string(),
});
