import { z } from 'zod';
import { timestamp, trimmedText, uuid, version } from '../scalars.ts';

export const column = z.object({
  id: uuid,
  type: z.literal('column'),
  version,
  board_id: uuid,
  name: z.string(),
  position: z.number(),
  archived_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Column = z.infer<typeof column>;

const name = trimmedText(120);

export const createColumnBody = z.strictObject({ name });

/** `position`: a number, or the start or the end of the board. */
export const patchColumnBody = z
  .strictObject({ name: name.optional(), position: z.union([z.number(), z.enum(['start', 'end'])]).optional() })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field');
