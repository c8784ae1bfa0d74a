import { z } from 'zod';
import { timestamp } from './scalars.ts';

/**
 * What the register of access remembers outside of its database: `access` is its lineage, `key.<workspace>.<id>` what was
 * taken away from an API key, until its end, `person.<workspace>.<id>` that somebody was erased, for ever.
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

/** That a person was erased. No name stands in it. */
export const erasure = z.object({
  /** The version of the person since then. What is older has a name that was erased. */
  version: z.int().min(1),
  at: timestamp,
});
export type Erasure = z.output<typeof erasure>;
export const erasureKey = (workspaceId: string, id: string): string => `person.${workspaceId}.${id}`;
/** The keys of all erasures, as a pattern of subjects. */
export const erasureKeys = erasureKey('*', '*');
