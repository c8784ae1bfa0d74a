import { sql } from 'kysely';
import { atMost } from '../sql-gauges.ts';

/** How far the relay is behind; both are found in the index of what is unpublished. For `sqlGauges`. */
export const outboxGauges = {
  cardinal_outbox_waiting_events: {
    help: 'Events in the outbox that are not published yet, counted up to 10,000',
    value: atMost(sql`select 1 from outbox where published_at is null order by id`),
  },
  cardinal_outbox_oldest_event_seconds: {
    help: 'Age of the oldest event in the outbox that is not published yet; 0 where there is none',
    value: sql<number>`coalesce((
      select extract(epoch from now() - created_at)::float8 from outbox
      where published_at is null order by id limit 1), 0)`,
  },
};
