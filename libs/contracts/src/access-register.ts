import { z } from 'zod';
import { timestamp } from './scalars.ts';

/**
 * What the register of access remembers outside of its database: `access` is its lineage, `key.<workspace>.<id>` what was
 * taken away from an API key, until its end.
 */
export const keyMark = z.object({
  /** The version of the key since then. */
  version: z.int().min(1),
  /** Its texts since a rotation; null: it is revoked. */
  left: z
    .object({ hash: z.string(), former_hash: z.string().nullable(), former_until: timestamp.nullable() })
    .nullable(),
});
export type KeyMark = z.output<typeof keyMark>;
/** How long a mark is kept behind the end of its key, ms: clocks differ. */
const keptBehindEndMs = 86_400_000;
/** When the mark of a key may be forgotten: an ended key is valid in no state of the database. null: never. */
export const keyMarkEnd = (expiresAt: Date | null): Date | null =>
  expiresAt && new Date(expiresAt.getTime() + keptBehindEndMs);
export const keyMarkKey = (workspaceId: string, id: string): string => `key.${workspaceId}.${id}`;
