import type { Event } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { Database } from '../open.ts';
import { idBound } from './id-bound.ts';

/** Events that one relay has taken. */
export interface Lease {
  events: Event[];
  /** Tells this lease of them from a later one. */
  until: Date;
}

/**
 * Takes up to `limit` unpublished events for one relay, oldest id first. Another relay passes them over until the lease
 * ends, so that several share the work; an event whose publishing failed waits as long, and those behind it do not.
 * @param since only events made from then on: under load the index is full of entries of events just published, which
 *   only a vacuum clears away, and a look from its beginning passes them all
 */
export async function leaseEvents<Tables>(
  db: Database<Tables>,
  { limit, leaseMs, since = new Date(0) }: { limit: number; leaseMs: number; since?: Date | undefined },
): Promise<Lease> {
  const { rows } = await db.statement((tx) =>
    sql<{ event: Event; leased_until: Date }>`
      with due as (
        select id from outbox
        where published_at is null and id >= ${idBound(since)} and (leased_until is null or leased_until < now())
        order by id limit ${limit} for update skip locked
      ), leased as (
        update outbox set leased_until = now() + ${leaseMs} * interval '1 millisecond'
        from due where outbox.id = due.id
        returning outbox.id, outbox.event, outbox.leased_until
      )
      select event, leased_until from leased order by id`.execute(tx),
  );
  return { events: rows.map((row) => row.event), until: rows[0]?.leased_until ?? new Date(0) };
}
