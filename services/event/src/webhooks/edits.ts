import { sql } from 'kysely';
import type { Tx } from '../context.ts';
import type { Changes, WebhookRow } from './context.ts';

/** Whether an edit may revoke something from a receiver, so that the register must record it first (ADR 72). */
export const isRevocation = (row: WebhookRow, changes: Changes): boolean =>
  (['url', 'types', 'board_id', 'changed', 'private_boards', 'state'] as const).some(
    (column) => changes[column] !== undefined && changes[column] !== row[column],
  );

/** Returns the columns to set when a client requests a state; none if the state stays. */
export const stateChange = (
  { state: former }: WebhookRow,
  state: 'active' | 'paused' | undefined,
): Partial<WebhookRow> => {
  if (state === undefined || state === former) return {};
  return { state, disabled_reason: null, failing_since: null, not_before: null };
};

/** Makes all waiting lanes of a webhook due now, with their counts of attempts reset. */
export const retryNow = async (tx: Tx, { workspace_id, id }: WebhookRow): Promise<void> => {
  await sql`
    update waiting_deliveries set due_at = now(), attempts = 0, first_failed_at = null
    where workspace_id = ${workspace_id} and webhook_id = ${id}`.execute(tx);
  await sql`update webhooks set retry_at = now() where workspace_id = ${workspace_id} and id = ${id}`.execute(tx);
};
