import type { Event, EventContract, EventOf } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { z } from 'zod';
import { type Database, purge } from './database.ts';
import { countUpTo } from './gauges.ts';
import { type AnyTransaction, prepared } from './pool.ts';

/** What an event is made of: the state that it carries is the one that the aggregate has at this version. */
interface EventDetails<Data> {
  workspaceId: string;
  aggregate: { id: string; version: number };
  data: Data;
  now: Date;
  /** Of the request that made it so; the one under way where left out. */
  requestId?: string | undefined;
}

/** An event of the request under way, for {@link appendEvents}. */
export const newEvent = <Data extends z.ZodType>(
  contract: EventContract<Data>,
  { workspaceId, aggregate, data, now, requestId = currentContext()?.requestId }: EventDetails<z.output<Data>>,
): EventOf<EventContract<Data>> => {
  const id = v7();
  const event = {
    id,
    type: contract.type,
    version: contract.version,
    occurred_at: now.toISOString(),
    workspace_id: workspaceId,
    request_id: requestId ?? id,
    aggregate_id: aggregate.id,
    aggregate_version: aggregate.version,
    data,
  };
  return event as EventOf<EventContract<Data>>;
};

/** Writes events in the transaction of their change; the relay publishes them after it committed. */
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

/** The least id of an event made at `time`: ids begin with their time (RFC 9562, 5.7), so they serve as its index. */
const idBound = (time: Date): string => v7({ msecs: time.getTime(), seq: 0, random: new Uint8Array(16) });

/** Events that one relay has taken. */
export interface Lease {
  events: Event[];
  /** Distinguishes this lease from a later one of the same events. */
  until: Date;
}

/** $1 the least id, $2 how many, $3 ms */
const leaseDue = prepared<{ event: Event; leased_until: Date }>(
  'lease-events',
  `with due as (
  select id from outbox
  where published_at is null and id >= $1 and (leased_until is null or leased_until < now())
  order by id limit $2 for update skip locked
), leased as (
  update outbox set leased_until = now() + $3 * interval '1 millisecond'
  from due where outbox.id = due.id
  returning outbox.id, outbox.event, outbox.leased_until
)
select event, leased_until from leased order by id`,
);

/**
 * Takes up to `limit` unpublished events for one relay, oldest id first. Another relay passes them over until the lease
 * ends, so several can share the work; an event whose publishing failed waits as long, and those behind it do not.
 * @param since only events made from then on: under load the index is full of entries of events just published, which
 *   only a vacuum clears away, and a look from its beginning passes them all
 */
export async function leaseEvents<Tables>(
  db: Database<Tables>,
  { limit, leaseMs, since = new Date(0) }: { limit: number; leaseMs: number; since?: Date | undefined },
): Promise<Lease> {
  const rows = await db.statement((tx) => leaseDue.run(tx, [idBound(since), limit, leaseMs]));
  return { events: rows.map((row) => row.event), until: rows[0]?.leased_until ?? new Date(0) };
}

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

const batchSize = 5_000;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Marks the outbox as unpublished, for a broker that lost its events; the relay then publishes all of them again.
 * Leases end as well, so that a relay that is publishing to the lost stream right now cannot mark its events as done.
 * @returns how many events were marked
 */
export async function reopenOutbox<Tables>(db: Database<Tables>): Promise<number> {
  let reopened = 0;
  for (let after: string | null = beforeAll; after; ) {
    const { rows } = await db.transaction((tx) =>
      sql<{ changed: number; last: string | null }>`
        with batch as materialized (
          select id from outbox where id > ${after} order by id limit ${batchSize} for update
        ), changed as (
          update outbox set published_at = null, leased_until = null
          from batch
          where outbox.id = batch.id and (published_at is not null or leased_until is not null)
          returning 1
        )
        select
          (select count(*) from changed) as changed,
          (select id from batch order by id desc limit 1) as last`.execute(tx),
    );
    reopened += rows[0]?.changed ?? 0;
    after = rows[0]?.last ?? null;
  }
  return reopened;
}

/** Deletes events published before `olderThan`; returns how many. */
export function purgeOutbox<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  return purge(db, 'outbox', sql`id < ${idBound(olderThan)} and published_at < ${olderThan}`);
}

/**
 * Puts aside an event that could not be applied, with the error it met.
 * @param event the event, or the content that arrived in its place
 */
export async function deadLetter<Tables>(db: Database<Tables>, event: unknown, error: unknown): Promise<void> {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  await db.transaction((tx) =>
    sql`
      insert into dead_letters (event, error)
      values (${JSON.stringify(event ?? null)}::json, ${reason.toWellFormed().replaceAll('\0', '')})`.execute(tx),
  );
}

/** How far the relay is behind; both are found in the index of what is unpublished. For `sqlGauges`. */
export const outboxGauges = {
  cardinal_outbox_waiting_events: {
    help: 'Events in the outbox that are not published yet, counted up to 10,000',
    value: countUpTo(sql`select 1 from outbox where published_at is null order by id`),
  },
  cardinal_outbox_oldest_event_seconds: {
    help: 'Age of the oldest event in the outbox that is not published yet; 0 where there is none',
    value: sql<number>`coalesce((
      select extract(epoch from now() - created_at)::float8 from outbox
      where published_at is null order by id limit 1), 0)`,
  },
};

/** What consumers gave up on. For `sqlGauges`. */
export const deadLetterGauges = {
  cardinal_dead_letters: {
    help: 'Events that a consumer gave up on and that nobody has dealt with, counted up to 10,000',
    value: countUpTo(sql`select 1 from dead_letters`),
  },
};
