import type { Event } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Database } from '../open.ts';
import type { Lease } from './lease.ts';

/** Notes that the broker has these events of a lease, unless the lease was taken over or the outbox reopened meanwhile. */
export async function markPublished<Tables>(db: Database<Tables>, events: Event[], lease: Lease): Promise<void> {
  if (events.length === 0) return;
  const ids = events.map((event) => event.id);
  await db.statement((tx) =>
    sql`
      update outbox set published_at = now()
      where id = any(${ids}::uuid[]) and published_at is null and leased_until = ${lease.until}`.execute(tx),
  );
}
