import { rowsOf } from '@cardinal/db';
import type { Sweeper } from '@cardinal/runtime';
import type { Connections, DatabaseLineage } from '@cardinal/service';
import type { Selectable } from 'kysely';
import type { Tables } from '../context.ts';
import type { Sight } from '../log/sees.ts';
import type { Vault } from './secrets.ts';
import type { Attempt, Sender } from './sender.ts';

/** What deliveries need. */
export interface DeliveryContext extends Pick<Connections<Tables>, 'db' | 'logger'> {
  /** Returns which boards a user sees now, and which are not private. */
  sight: Sight;
  sender: Sender;
  vault: Vault;
  lineage: Pick<DatabaseLineage, 'met' | 'current'>;
  /** Counts an attempt in the metrics. */
  measure: (attempt: Attempt) => void;
}

/** What the operations on webhooks need. */
export interface WebhookContext extends DeliveryContext, Connections<Tables> {
  /** Whether URLs may use `http`: in development only. */
  allowsHttp: boolean;
  /** Nudged when a webhook of a workspace may have become due. */
  deliveries: { nudge: (workspaceId: string) => void };
  /** The job runner of pings. Nudged when a client requested one. */
  pings: Sweeper;
}

export const webhooks = rowsOf<Tables, 'webhooks'>('webhooks');
export type WebhookRow = Selectable<Tables['webhooks']>;
/** New values of columns. A column whose value is undefined stays as it is. */
export type Changes = { [Column in keyof WebhookRow]?: WebhookRow[Column] | undefined };
