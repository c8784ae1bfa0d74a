import { type RawBuilder, sql } from 'kysely';
import type { DatabaseOwner } from '../services/provision.ts';
import type { Sources } from './sources.ts';

/**
 * How long the stream may take an event that is published again for a copy, and drop it, in milliseconds: twice as long
 * as it remembers ids.
 */
export const takenForCopyMs = 4 * 60_000;

/** Has events published again that an outbox still holds; consumers that have dealt with one pass over it. */
export const publishAgain = async (
  sources: Sources,
  service: DatabaseOwner,
  which: RawBuilder<unknown>,
): Promise<void> => {
  const until = new Date(Date.now() - takenForCopyMs);
  await sources.of(service).transaction((tx) =>
    sql`
      update ${sql.table(`${service}.outbox`)} set published_at = null, leased_until = null
      where published_at < ${until} and ${which}`.execute(tx),
  );
};

/**
 * Has it told again that cards or subtasks were deleted, for a service that goes on naming them: it may never have heard
 * of it, where the stream was full.
 */
export const tellDeletionsAgain = (sources: Sources, ids: readonly string[]): Promise<void> =>
  publishAgain(
    sources,
    'card',
    sql`subject in ('evt.card.deleted', 'evt.card.subtask-deleted') and event ->> 'aggregate_id' = any(${ids})`,
  );
