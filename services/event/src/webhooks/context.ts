import { rowsOf } from '@cardinal/db';
import type { Sweeper } from '@cardinal/runtime';
import type { Connections } from '@cardinal/service';
import type { Selectable } from 'kysely';
import type { Tables } from '../context.ts';
import type { Sees } from '../log/sees.ts';
import type { Vault } from './secrets.ts';
import type { Attempt, Sender } from './sender.ts';

/** What the delivery of events works with. */
export interface DeliveryContext extends Pick<Connections<Tables>, 'db' | 'logger' | 'now'> {
  sees: Sees;
  sender: Sender;
  vault: Vault;
  /** Counts an attempt. */
  measure: (attempt: Attempt) => void;
}

/** What the operations on webhooks work with. */
export interface WebhookContext extends DeliveryContext, Connections<Tables> {
  /** Whether `http` will do: in development. */
  allowsHttp: boolean;
  /** Told where something of a workspace's webhooks may be due now. */
  deliveries: { nudge: (workspaceId: string) => void };
  /** Nudged where a ping is asked for. */
  pings: Sweeper;
}

export const webhooks = rowsOf<Tables, 'webhooks'>('webhooks');
export type WebhookRow = Selectable<Tables['webhooks']>;
/** Columns with their new values; those that are undefined stay. */
export type Changes = { [Column in keyof WebhookRow]?: WebhookRow[Column] | undefined };
