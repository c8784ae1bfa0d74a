import type { LoggedEvent } from '@cardinal/contracts';
import type { LeasedWebhook } from '../../src/webhooks/leases.ts';
import type { Attempt } from '../../src/webhooks/sender.ts';

export const leaseMs = 30_000;
/** An event of a card, as the log has it. */
export const eventOf = (seq: number, card: string): LoggedEvent => ({
  seq,
  id: `event ${seq}`,
  type: 'card.updated',
  card_id: card,
  board_id: null,
  other_board_id: null,
  text: `${seq}`,
});
/** A leased webhook at the beginning of an empty log. */
export const webhookOf = (more: Partial<LeasedWebhook> = {}): LeasedWebhook => ({
  workspace_id: 'w',
  id: 'h',
  version: 1,
  url: 'https://receiver.invalid/',
  types: [],
  board_id: null,
  changed: [],
  private_boards: false,
  state: 'active',
  failing_since: null,
  secret: '',
  former_secret: null,
  former_secret_until: null,
  position: 0,
  replay_until: null,
  replay_position: null,
  created_by: 'u',
  lease_id: 'l',
  epoch: 1,
  taken_at: new Date(0),
  retry_at: null,
  last: 0,
  ...more,
});
/** An attempt that was answered at once. */
export const attemptOf = (status: number | null, retryAfterMs?: number): Attempt => ({
  status,
  error: status === 200 ? null : 'no',
  answer: null,
  milliseconds: 1,
  retryAfterMs,
});
/** An attempt that timed out. */
export const hungAttempt: Attempt = { ...attemptOf(null), milliseconds: 15_000 };
