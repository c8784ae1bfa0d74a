import { sql } from 'kysely';
import type { Database } from '../open.ts';

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
