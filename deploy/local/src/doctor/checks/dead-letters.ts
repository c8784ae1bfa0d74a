import { anyEvent, type Event, emitterOf } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { DatabaseOwner } from '../../services/provision.ts';
import type { Check, Difference } from '../check.ts';
import { mostDifferences } from '../compare.ts';
import { takenForCopyMs } from '../publish-again.ts';
import type { Sources } from '../sources.ts';

interface DeadLetter {
  id: string;
  event: unknown;
  what: string;
  /** The stream would take the event for a new one. */
  settled: boolean;
}

/**
 * Events that a consumer gave up on. The repair gives each to its consumer again, by way of the outbox it came from: what
 * the projections' repair has made moot changes nothing there, what was missed is made up for, and what still fails
 * comes back with its new error. So none is just taken away, which could hide a fault. What is no event of ours is left
 * to a person.
 */
export const deadLetters: Check = {
  name: 'no event was given up on',
  look: async (sources) => {
    const services = await sources.having('dead_letters');
    return (await Promise.all(services.map((service) => lettersOf(sources, service)))).flat();
  },
};

const lettersOf = async (sources: Sources, service: DatabaseOwner): Promise<Difference[]> => {
  const { rows } = await sources.of(service).read((tx) =>
    sql<DeadLetter>`
      select id, event, extract(epoch from now() - failed_at) * 1000 > ${takenForCopyMs} as settled,
        'dead letter ' || id || ' of ' || failed_at || ': ' || split_part(error, E'\\n', 1) || ' — '
          || left(event::text, 200) as what
      from ${sql.table(`${service}.dead_letters`)} order by failed_at limit ${mostDifferences}`.execute(tx),
  );
  return rows.map(({ id, event, what, settled }) => {
    const known = anyEvent.safeParse(event);
    const emitter = known.success ? emitterOf(known.data.type) : undefined;
    const named = { what: `${service}: ${what}` };
    if (!known.success || !emitter || !settled) return named;
    return { ...named, mend: () => giveAgain(sources, { service, id }, emitter, known.data as Event) };
  });
};

/** In this order, so that a crash in between leaves the event twice rather than nowhere. */
const giveAgain = async (
  sources: Sources,
  letter: { service: DatabaseOwner; id: string },
  emitter: DatabaseOwner,
  event: Event,
): Promise<void> => {
  await sources.of(emitter).transaction((tx) =>
    sql`
      insert into ${sql.table(`${emitter}.outbox`)} (id, workspace_id, subject, event)
      values (${event.id}, ${event.workspace_id}, ${`evt.${event.type}`}, ${JSON.stringify(event)}::jsonb)
      on conflict (id) do update set published_at = null, leased_until = null`.execute(tx),
  );
  await sources
    .of(letter.service)
    .transaction((tx) =>
      sql`delete from ${sql.table(`${letter.service}.dead_letters`)} where id = ${letter.id}`.execute(tx),
    );
};
