import { countUpTo, type SqlGauge } from '@cardinal/db';
import { counter, histogram } from '@cardinal/runtime';
import { sql } from 'kysely';
import type { Attempt } from './sender.ts';

const isSending = sql`state in ('active', 'failing')`;

/** Metrics of backlogs and states, for `sqlGauges`. They scan all webhooks; a workspace has 20 at most. */
export const webhookGauges = {
  cardinal_webhook_cards_waiting: {
    help: 'Cards, or boards, whose events wait for a retry at a webhook, counted up to 10,000',
    value: countUpTo(sql`select 1 from waiting_deliveries`),
  },
  cardinal_webhook_events_behind: {
    help: 'Events that webhooks have not read yet, without paused and disabled webhooks',
    value: sql<number>`(
      select coalesce(sum(greatest(logs.last - position, 0)), 0)::float8 from webhooks join logs using (workspace_id)
      where ${isSending})`,
  },
  cardinal_webhook_oldest_seconds: {
    help: 'Age of the oldest event that a webhook has not sent, without paused and disabled webhooks',
    value: sql<number>`coalesce((
      select extract(epoch from now() - min(since))::float8 from (
        select (select min(first_failed_at) from waiting_deliveries
          where workspace_id = webhooks.workspace_id and webhook_id = webhooks.id) as since
        from webhooks where ${isSending} and retry_at is not null
        union all
        select (
          select (event ->> 'at')::timestamptz from events
          where events.workspace_id = webhooks.workspace_id and seq = position + 1 and logged_on = (
            select days.logged_on from days
            where days.workspace_id = webhooks.workspace_id and first_seq <= position + 1
            order by days.logged_on desc limit 1))
        from webhooks join logs using (workspace_id) where ${isSending} and logs.last > position
      ) as waits), 0)`,
  },
  cardinal_webhooks_unreadable: {
    help: 'Webhooks whose secret no key of the service (WEBHOOK_KEY) decrypts: nothing is sent to them',
    value: countUpTo(sql`select 1 from webhooks where secret_unreadable`),
  },
  cardinal_webhooks_disabled: {
    help: 'Webhooks that were disabled after three days of failures, or as their receiver is gone',
    value: countUpTo(sql`select 1 from webhooks where state = 'disabled'`),
  },
} satisfies Record<string, SqlGauge>;

const attempts = counter({
  name: 'cardinal_webhook_attempts_total',
  help: 'Attempts to send an event to a webhook, by whether it was delivered',
  labels: ['result'],
});
const durations = histogram({
  name: 'cardinal_webhook_attempt_duration_seconds',
  help: 'Time that receivers take to answer',
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
});

/** Counts an attempt and its duration. */
export const measureAttempt = ({ error, milliseconds }: Attempt): void => {
  attempts().inc({ result: error === null ? 'delivered' : 'failed' });
  durations().observe(milliseconds / 1_000);
};
