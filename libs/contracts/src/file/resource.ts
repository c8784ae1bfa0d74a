import { z } from 'zod';
import { text, timestamp, trimmedText, uuid } from '../scalars.ts';

/**
 * `pending`: its bytes have not arrived. `scanning`: they are being checked. Only a `clean` file is ever served;
 * `infected` and `rejected` are final, and their bytes are gone.
 */
export const fileStatus = z.enum(['pending', 'scanning', 'clean', 'infected', 'rejected']);
export type FileStatus = z.infer<typeof fileStatus>;

/** Why a file was rejected. `too_complex`: an image that would take memory or time out of proportion to its pixels. */
export const fileRejection = z.enum([
  'empty',
  'too_large',
  'broken_image',
  'too_many_pixels',
  'too_complex',
  'expired',
  'unchecked',
]);
export type FileRejection = z.infer<typeof fileRejection>;

/** A file as clients see it (api-decisions, "Files"). */
export const file = z.object({
  id: uuid,
  type: z.literal('file'),
  name: z.string(),
  status: fileStatus,
  rejection: fileRejection.nullable().describe('Why the file was rejected; null in every other state'),
  content_type: z.string().nullable().describe('As its bytes say; null until they were looked at'),
  size: z.int().min(0).nullable().describe('Bytes; null until they have arrived'),
  board_id: uuid.nullable(),
  created_by: uuid,
  created_at: timestamp,
  updated_at: timestamp,
});
export type File = z.infer<typeof file>;

/** Where the client sends the bytes, once, before the time given. */
export const upload = z.object({
  method: z.literal('PUT'),
  url: z.url(),
  headers: z.record(z.string(), z.string()),
  expires_at: timestamp,
});
export type Upload = z.infer<typeof upload>;

/** A new file with the way to upload it. */
export const newFile = file.extend({ upload });

export const createFileBody = z.strictObject({
  name: trimmedText(255),
  board_id: uuid
    .nullable()
    .default(null)
    .describe('The file is as visible as this board; without it, in the workspace'),
});

/** An image of the same look in WebP, never wider than the original. */
export const rendition = z.object({ width: z.int().min(1), height: z.int().min(1), url: z.url() });

/** A card's cover (specification, "Card cover"). */
export const cover = z.object({
  file_id: uuid,
  name: text({ max: 255 }),
  content_type: z.string(),
  width: z.int().min(1),
  height: z.int().min(1),
  renditions: z.array(rendition),
});
export type Cover = z.infer<typeof cover>;
