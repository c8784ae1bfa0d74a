import { z } from 'zod';
import { text, timestamp, uuid, version } from '../scalars.ts';

export const comment = z.object({
  id: uuid,
  type: z.literal('comment'),
  version,
  card_id: uuid,
  body: z.string(),
  created_by: uuid,
  created_at: timestamp,
  updated_at: timestamp,
});
export type Comment = z.infer<typeof comment>;

/** The text of a comment, kept as it was sent, but not blank. */
const body = text({ min: 1, max: 20_000 }).refine((value) => value.trim() !== '', 'must not be blank');

export const createCommentBody = z.strictObject({ body });
export const patchCommentBody = z.strictObject({ body });
