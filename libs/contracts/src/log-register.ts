import { z } from 'zod';
import { timestamp, uuid } from './scalars.ts';

/**
 * What the log's register remembers outside of its database (ADR 0066, ADR 0072): `log` is its lineage,
 * `log.<workspace>` the highest number that an event of the workspace may have, `webhook.<workspace>.<id>` what was
 * taken away from a webhook.
 */
export const logMark = z.object({ through: z.int().min(0) });
export const logMarkKey = (workspaceId: string): string => `log.${workspaceId}`;

/**
 * A webhook at the time when something was taken away from it; only the version of a deleted one. Secrets are sealed.
 */
export const webhookMark = z.object({
  /** The version since then. */
  version: z.int().min(1),
  left: z
    .object({
      state: z.string(),
      url: z.string(),
      types: z.array(z.string()),
      board_id: uuid.nullable(),
      /** Undefined in a mark of a release that did not have them. */
      changed: z.array(z.string()).optional(),
      private_boards: z.boolean().optional(),
      created_by: uuid,
      secret: z.string(),
      former_secret: z.string().nullable(),
      former_secret_until: timestamp.nullable(),
    })
    .nullable(),
});
export type WebhookMark = z.output<typeof webhookMark>;
export const webhookMarkKey = (workspaceId: string, id: string): string => `webhook.${workspaceId}.${id}`;
