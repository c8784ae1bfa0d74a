import { z } from 'zod';
import { timestamp, trimmedText, uuid, version } from '../scalars.ts';

/** What a subtask shows of the file linked to it. */
export const linkedFile = z.object({ id: uuid, name: z.string() });

export const subtask = z.object({
  id: uuid,
  type: z.literal('subtask'),
  version,
  card_id: uuid,
  title: z.string(),
  completed_at: timestamp.nullable(),
  position: z.number(),
  linked_file: linkedFile.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Subtask = z.infer<typeof subtask>;

const title = trimmedText(240);

export const createSubtaskBody = z.strictObject({ title });

/** Where it goes among the subtasks of its card: as for cards, at most one way to name the place. */
export const patchSubtaskBody = z
  .strictObject({
    title: title.optional(),
    completed: z.boolean().optional(),
    before_subtask_id: uuid.optional(),
    after_subtask_id: uuid.optional(),
    position: z.union([z.number(), z.enum(['start', 'end'])]).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .refine(
    (body) =>
      [body.before_subtask_id, body.after_subtask_id, body.position].filter((place) => place !== undefined).length <= 1,
    'must name at most one of before_subtask_id, after_subtask_id and position',
  );
export type PatchSubtaskBody = z.infer<typeof patchSubtaskBody>;
