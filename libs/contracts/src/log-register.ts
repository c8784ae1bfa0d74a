import { z } from 'zod';
import { witness } from './lineage.ts';
import { timestamp } from './scalars.ts';

/** What the register remembers of the log, outside of its database (ADR 0066): keys `log` and `log.<workspace>`. */

/** By what the log's database is recognized, and how often it was found to be another or an earlier one. */
export const logLineage = z.object({
  epoch: z.int().min(0),
  witness,
  /** The latest ones, oldest first. */
  falls: z.array(z.object({ at: timestamp, epoch: z.int().min(1), from: witness, to: witness })),
});
export type LogLineage = z.infer<typeof logLineage>;
export const logLineageKey = 'log';

/** How far numbers of a workspace may have been given. */
export const logMark = z.object({ through: z.int().min(0) });
export const logMarkKey = (workspaceId: string): string => `log.${workspaceId}`;
