import type { Event } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { AnyTransaction } from '../handles.ts';

/** Writes events in the transaction of the change they tell of; the relay publishes them after it committed. */
export async function appendEvents(tx: AnyTransaction, events: Event[]): Promise<void> {
  if (events.length === 0) return;
  await sql`
    insert into outbox (id, workspace_id, subject, event)
    select id, workspace_id, subject, event::jsonb
    from unnest(
      ${events.map((event) => event.id)}::uuid[],
      ${events.map((event) => event.workspace_id)}::uuid[],
      ${events.map((event) => `evt.${event.type}`)}::text[],
      ${events.map((event) => JSON.stringify(event))}::text[]
    ) as new (id, workspace_id, subject, event)`.execute(tx);
}
