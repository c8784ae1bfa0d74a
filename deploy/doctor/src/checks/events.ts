import { type Broker, droppedUntil, inspectConsumers, storedEventIds } from '@cardinal/bus';
import { anyEvent, consumers, type DatabaseOwner, databaseOwners, type Event, emitterOf } from '@cardinal/contracts';
import { sql } from 'kysely';
import { maxDifferences } from '../compare.ts';
import type { Check, Difference } from '../examine.ts';
import { deduplicationMs, republish } from '../repair.ts';
import type { Sources } from '../sources.ts';
import { queryCheck } from './kinds.ts';

/** What ends within seconds where the relay works. */
export const unpublished = queryCheck(
  'no event is unpublished for longer than a minute',
  databaseOwners,
  `select 'event ' || id || ' (' || subject || ') is unpublished since ' || created_at as what
      from {schema}.outbox where published_at is null and created_at < now() - interval '1 minute'`,
);

/**
 * Events that a consumer gave up on. The repair gives each to its consumer again, by way of the outbox it came from: what
 * the projections' repair has made moot changes nothing there, what was missed is made up for, and what still fails
 * comes back with its new error. So none is just taken away, which could hide a fault. What is no event of ours is left
 * to a person.
 */
export const deadLetters: Check = {
  name: 'no event is a dead letter',
  look: async (sources) => (await Promise.all(databaseOwners.map((service) => lettersOf(sources, service)))).flat(),
};

const lettersOf = async (sources: Sources, service: DatabaseOwner): Promise<Difference[]> => {
  const rows = await sources.read(
    service,
    sql<{ id: string; event: unknown; what: string; republishable: boolean }>`
      select id, event, extract(epoch from now() - failed_at) * 1000 > ${deduplicationMs} as republishable,
        'dead letter ' || id || ' of ' || failed_at || ': ' || split_part(error, E'\\n', 1) || ' — '
          || left(event::text, 200) as what
      from ${sql.table(`${service}.dead_letters`)} order by failed_at limit ${maxDifferences}`,
  );
  return rows.map(({ id, event, what, republishable }) => {
    const known = anyEvent.safeParse(event);
    const emitter = known.success ? emitterOf(known.data.type) : undefined;
    const named = { what: `${service}: ${what}` };
    // Else the stream would take the event for one that it has.
    if (!emitter || !republishable) return named;
    return { ...named, repair: () => redeliver(sources, service, id, emitter, known.data as Event) };
  });
};

/** In this order, because a crash in between should leave the event twice rather than nowhere. */
const redeliver = async (sources: Sources, to: DatabaseOwner, letter: string, from: DatabaseOwner, event: Event) => {
  await sources.write(
    from,
    sql`
      insert into ${sql.table(`${from}.outbox`)} (id, workspace_id, subject, event)
      values (${event.id}, ${event.workspace_id}, ${`evt.${event.type}`}, ${JSON.stringify(event)}::jsonb)
      on conflict (id) do update set published_at = null, leased_until = null`,
  );
  await sources.write(to, sql`delete from ${sql.table(`${to}.dead_letters`)} where id = ${letter}`);
};

const expected = Object.values(consumers).map(({ durable }): string => durable);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * What must hold of the broker.
 * @param broker as the deploy step's user
 * @param lateMs how long an event may wait at a consumer, in milliseconds
 */
export const brokerChecks = (broker: Broker, lateMs = minuteMs): readonly Check[] => [
  {
    name: 'the broker has the stream and every consumer',
    look: async () => {
      const found = await inspectConsumers(broker);
      if (!found) return [{ what: 'there is no stream of events: the deploy step declares it' }];
      const there = new Set(found.map(({ durable }) => durable));
      const missing = expected.filter((durable) => !there.has(durable));
      return missing.map((durable) => ({ what: `consumer ${durable} is missing: the deploy step declares it` }));
    },
  },
  {
    name: 'no event waits at a consumer for longer than a minute',
    look: async () => {
      const found = (await inspectConsumers(broker)) ?? [];
      return found.flatMap(({ durable, waiting }) =>
        expected.includes(durable) && waiting && Date.now() - waiting.since.getTime() >= lateMs
          ? [{ what: `consumer ${durable} has not dealt with ${waiting.subject} of ${waiting.since.toISOString()}` }]
          : [],
      );
    },
  },
  streamIsWhole(broker),
];

/**
 * Finds what a purge or a restored folder took away while the outboxes' marks stayed, so that no service notices. What
 * a full stream dropped is no loss by itself: the comparisons of copies with owners show whether a service missed it.
 */
const streamIsWhole = (broker: Broker): Check => {
  // Fixed, so that a loss counts the same at every look.
  const since = new Date(Date.now() - dayMs);
  const until = new Date(Date.now() - deduplicationMs);
  return {
    name: 'the stream has every event that was published within a day',
    look: async (sources) => {
      const dropped = await droppedUntil(broker);
      const from = dropped && dropped > since ? new Date(dropped.getTime() + minuteMs) : since;
      const published = await Promise.all(databaseOwners.map((service) => publishedIn(sources, service, from, until)));
      // Read later and from further back: an event is in the stream before its outbox says so.
      const stored = (await storedEventIds(broker, new Date(since.getTime() - hourMs))) ?? new Set();
      return published.flat().flatMap(({ service, subject, ids }) => {
        const lost = ids.filter((id) => !stored.has(id));
        if (lost.length === 0) return [];
        const what = `${service}: the stream lacks ${lost.length} of ${subject}, published since ${since.toISOString()}`;
        return [{ what, repair: () => republish(sources, service, sql`id = any(${lost}::uuid[])`) }];
      });
    },
  };
};

const publishedIn = async (sources: Sources, service: DatabaseOwner, since: Date, until: Date) => {
  const rows = await sources.read(
    service,
    sql<{ subject: string; ids: string[] }>`
      select subject, array_agg(id::text) as ids from ${sql.table(`${service}.outbox`)}
      where published_at between ${since} and ${until} group by subject`,
  );
  return rows.map((row) => ({ service, ...row }));
};
