import { z } from 'zod';

/**
 * What the register remembers of the log, outside of its database (ADR 0066): `log` is its lineage, `log.<workspace>` how far
 * numbers of a workspace may have been given.
 */
export const logMark = z.object({ through: z.int().min(0) });
export const logMarkKey = (workspaceId: string): string => `log.${workspaceId}`;
