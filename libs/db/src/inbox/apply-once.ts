import type { Event } from '@cardinal/contracts';
import { sql } from 'kysely';
import type { AnyTransaction } from '../handles.ts';

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
