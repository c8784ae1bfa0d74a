import { sql } from 'kysely';
import type { Tx } from '../context.ts';
import type { Changes, WebhookRow } from './context.ts';

/** Whether a receiver may get less than before: what is noted in the register first. */
export const takesAway = (row: WebhookRow, changes: Changes): boolean =>
  (['url', 'types', 'board_id', 'state'] as const).some(
    (column) => changes[column] !== undefined && changes[column] !== row[column],
  );

/** The columns that a new state sets, as a client asks for it. */
export const stateChange = (
  { state: former }: WebhookRow,
  state: 'active' | 'paused' | undefined,
): Partial<WebhookRow> => {
  if (state === undefined || state === former) return {};
  return { state, disabled_reason: null, failing_since: null, not_before: null };
};

/** Has what waits be tried at once, as if for the first time. */
export const hasten = async (tx: Tx, { workspace_id, id }: WebhookRow, moment: Date): Promise<void> => {
  await sql`
    update waiting_deliveries set due_at = ${moment}, attempts = 0, first_failed_at = null
    where workspace_id = ${workspace_id} and webhook_id = ${id}`.execute(tx);
  await sql`update webhooks set retry_at = ${moment} where workspace_id = ${workspace_id} and id = ${id}`.execute(tx);
};
