import { droppedUntil, inspectConsumers, storedEventIds } from '@cardinal/bus';
import { consumers } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { DatabaseOwner } from '../../services/provision.ts';
import type { Check } from '../check.ts';
import { publishAgain, takenForCopyMs } from '../publish-again.ts';
import type { Sources } from '../sources.ts';

const expected = Object.values(consumers);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * What must hold of the broker.
 * @param natsUrl of the deploy step's user
 * @param lateMs how long an event may wait at a consumer, in milliseconds
 */
export const brokerChecks = (natsUrl: string, lateMs = minuteMs): readonly Check[] => [
  consumersAreThere(natsUrl),
  consumersGetOn(natsUrl, lateMs),
  streamIsWhole(natsUrl),
];

const consumersAreThere = (natsUrl: string): Check => ({
  name: 'the broker has the stream and every consumer',
  look: async () => {
    const found = await inspectConsumers(natsUrl);
    if (!found) return [{ what: 'there is no stream of events: the deploy step declares it' }];
    const there = new Set(found.map(({ durable }) => durable));
    return expected
      .filter(({ durable }) => !there.has(durable))
      .map(({ durable }) => ({ what: `consumer ${durable} is missing: the deploy step declares it` }));
  },
});

const consumersGetOn = (natsUrl: string, lateMs: number): Check => ({
  name: 'no event waits at a consumer for longer than a minute',
  look: async () => {
    const found = (await inspectConsumers(natsUrl)) ?? [];
    const ours = found.filter(({ durable }) => expected.some((one) => one.durable === durable));
    return ours.flatMap(({ durable, waiting }) =>
      waiting && Date.now() - waiting.since.getTime() >= lateMs
        ? [{ what: `consumer ${durable} has not dealt with ${waiting.subject} of ${waiting.since.toISOString()}` }]
        : [],
    );
  },
});

/**
 * Finds what a purge or a restored folder took away and left the outboxes' marks, so that no service notices. What a
 * full stream dropped is no loss by itself: whether somebody missed it, the comparisons of copies with owners tell.
 */
const streamIsWhole = (natsUrl: string): Check => {
  // The same at every look, so that a loss counts the same.
  const since = new Date(Date.now() - dayMs);
  const until = new Date(Date.now() - takenForCopyMs);
  return {
    name: 'the stream has every event that was published within a day',
    look: async (sources) => {
      const services = await sources.having('outbox');
      const dropped = await droppedUntil(natsUrl);
      const from = dropped && dropped > since ? new Date(dropped.getTime() + minuteMs) : since;
      const published = await Promise.all(services.map((service) => publishedIn(sources, service, from, until)));
      // Read later and from further back: an event is in the stream before its outbox says so.
      const stored = (await storedEventIds(natsUrl, new Date(since.getTime() - hourMs))) ?? new Set();
      return published.flat().flatMap(({ service, subject, ids }) => {
        const lost = ids.filter((id) => !stored.has(id));
        if (lost.length === 0) return [];
        const what = `${service}: the stream lacks ${lost.length} of ${subject}, published since ${since.toISOString()}`;
        return [{ what, mend: () => publishAgain(sources, service, sql`id = any(${lost}::uuid[])`) }];
      });
    },
  };
};

const publishedIn = async (sources: Sources, service: DatabaseOwner, since: Date, until: Date) => {
  const { rows } = await sources.of(service).read((tx) =>
    sql<{ subject: string; ids: string[] }>`
      select subject, array_agg(id::text) as ids from ${sql.table(`${service}.outbox`)}
      where published_at between ${since} and ${until} group by subject`.execute(tx),
  );
  return rows.map((row) => ({ service, ...row }));
};
