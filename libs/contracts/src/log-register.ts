import { z } from 'zod';
import { timestamp, uuid } from './scalars.ts';

/**
 * What the log's register remembers of it and of webhooks, outside of their database (ADR 0066, ADR 0072): `log` is its lineage,
 * `log.<workspace>` how far numbers of a workspace may have been given, `webhook.<workspace>.<id>` what was taken away from a
 * webhook.
 */
export const logMark = z.object({ through: z.int().min(0) });
export const logMarkKey = (workspaceId: string): string => `log.${workspaceId}`;

/** A webhook as it was when something was taken away from it; of one that is deleted the version alone. Secrets are sealed. */
export const webhookMark = z.object({
  /** The version that it is since. */
  version: z.int().min(1),
  left: z
    .object({
      state: z.string(),
      url: z.string(),
      types: z.array(z.string()),
      board_id: uuid.nullable(),
      created_by: uuid,
      secret: z.string(),
      former_secret: z.string().nullable(),
      former_secret_until: timestamp.nullable(),
    })
    .nullable(),
});
export type WebhookMark = z.output<typeof webhookMark>;
export const webhookMarkKey = (workspaceId: string, id: string): string => `webhook.${workspaceId}.${id}`;
