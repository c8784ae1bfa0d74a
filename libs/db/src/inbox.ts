import type { Event } from '@cardinal/contracts';
import { sql } from 'kysely';
import { type Database, purge } from './database.ts';
import { countUpTo } from './gauges.ts';
import type { AnyTransaction } from './statements.ts';

/**
 * Runs `fn` in `tx` unless this event was applied before; waits for a transaction that is applying it at this moment.
 * Returns whether `fn` ran.
 */
export async function applyOnce(tx: AnyTransaction, event: Event, fn: () => Promise<void>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into inbox (id, workspace_id, type) values (${event.id}, ${event.workspace_id}, ${event.type})
    on conflict do nothing`.execute(tx);
  if (numAffectedRows !== 1n) return false;
  await fn();
  return true;
}

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

/** Forgets events applied before `olderThan`, which must be longer ago than a stream keeps them; returns how many. */
export function purgeInbox<Tables>(db: Database<Tables>, olderThan: Date): Promise<number> {
  return purge(db, 'inbox', sql`applied_at < ${olderThan}`);
}
