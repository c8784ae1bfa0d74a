import { sql } from 'kysely';
import type { Database } from './database.ts';
import { countUpTo } from './gauges.ts';

/**
 * Puts aside an event that could not be applied, with the error it met.
 * @param event the event, or whatever arrived in its place
 */
export async function deadLetter<Tables>(db: Database<Tables>, event: unknown, error: unknown): Promise<void> {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  await db.transaction((tx) =>
    sql`
      insert into dead_letters (event, error)
      values (${JSON.stringify(event ?? null)}::json, ${reason.toWellFormed().replaceAll('\0', '')})`.execute(tx),
  );
}

/** What consumers gave up on. For `sqlGauges`. */
export const deadLetterGauges = {
  cardinal_dead_letters: {
    help: 'Events that a consumer gave up on and that nobody has dealt with, counted up to 10,000',
    value: countUpTo(sql`select 1 from dead_letters`),
  },
};
