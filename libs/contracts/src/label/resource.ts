import { z } from 'zod';
import { timestamp, trimmedText, uuid, version } from '../scalars.ts';

/** A mark for cards, known in the whole workspace. */
export const label = z.object({
  id: uuid,
  type: z.literal('label'),
  version,
  name: z.string(),
  color: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Label = z.infer<typeof label>;

const fields = {
  name: trimmedText(120),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color such as #1d76db')
    .toLowerCase(),
};

export const createLabelBody = z.strictObject({ name: fields.name, color: fields.color.default('#8b949e') });

export const patchLabelBody = z
  .strictObject({ name: fields.name.optional(), color: fields.color.optional() })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field');
