import { z } from 'zod';
import { timestamp, trimmedText, uuid, version } from '../scalars.ts';

export const board = z.object({
  id: uuid,
  type: z.literal('board'),
  version,
  name: z.string(),
  visibility: z.enum(['workspace', 'private']),
  default_workstream_id: uuid.nullable(),
  archived_at: timestamp.nullable(),
  created_by: uuid,
  created_at: timestamp,
  updated_at: timestamp,
});
export type Board = z.infer<typeof board>;

const fields = {
  name: trimmedText(120),
  visibility: board.shape.visibility,
  default_workstream_id: uuid.nullable(),
};

export const createBoardBody = z.strictObject({
  name: fields.name,
  visibility: fields.visibility.default('workspace'),
  default_workstream_id: fields.default_workstream_id.default(null),
});

export const patchBoardBody = z
  .strictObject({
    name: fields.name.optional(),
    visibility: fields.visibility.optional(),
    default_workstream_id: fields.default_workstream_id.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field');
