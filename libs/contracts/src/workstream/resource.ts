import { z } from 'zod';
import { text, timestamp, trimmedText, uuid, version } from '../scalars.ts';

/** Prefix of a workspace's default workstream. */
export const mainPrefix = 'MAIN';

/** 2 to 10 characters, first a letter; any letter case on input, kept in upper case. */
export const prefix = z
  .string()
  .trim()
  .regex(/^[A-Za-z][A-Za-z0-9]{1,9}$/, 'must be 2 to 10 letters or digits, the first a letter')
  .toUpperCase();

/** What a card shows of its workstream. */
export const workstreamSummary = z.object({ id: uuid, name: z.string(), prefix: z.string() });

export const workstream = z.object({
  id: uuid,
  type: z.literal('workstream'),
  version,
  name: z.string(),
  prefix: z.string(),
  description: z.string().nullable(),
  is_default: z.boolean(),
  archived_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Workstream = z.infer<typeof workstream>;
export type WorkstreamSummary = z.infer<typeof workstreamSummary>;

const name = trimmedText(120);
const description = text({ max: 2000 }).nullable();

export const createWorkstreamBody = z.strictObject({ name, prefix, description: description.optional() });

export const patchWorkstreamBody = z
  .strictObject({ name: name.optional(), description: description.optional() })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field');
