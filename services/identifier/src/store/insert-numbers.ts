import type { Transaction } from '@cardinal/db';
import { sql } from 'kysely';
import type { Counter, NewNumber } from '../domain/allocation.ts';
import type { DB } from './tables.gen.ts';

/**
 * Moves the counters and inserts the numbers that they gave out, pending, in one statement whose text does not depend
 * on how many there are. The caller holds the locks of the counters.
 */
export const insertNumbers = async (
  tx: Transaction<DB>,
  counters: Counter[],
  numbers: NewNumber[],
  now: Date,
): Promise<void> => {
  await sql`
    with counted as (
      update workstreams w set last_number = c.last_number
      from unnest(
        ${counters.map((counter) => counter.workspace_id)}::uuid[],
        ${counters.map((counter) => counter.workstream.id)}::uuid[],
        ${counters.map((counter) => counter.last_number)}::bigint[]
      ) as c (workspace_id, id, last_number)
      where w.workspace_id = c.workspace_id and w.id = c.id
    )
    insert into identifiers
      (workspace_id, prefix, number, workstream_id, card_id, operation_id, assigned_by, state, created_at)
    select n.*, 'pending', ${now}::timestamptz
    from unnest(
      ${numbers.map((entry) => entry.workspace_id)}::uuid[],
      ${numbers.map((entry) => entry.prefix)}::text[],
      ${numbers.map((entry) => entry.number)}::bigint[],
      ${numbers.map((entry) => entry.workstream_id)}::uuid[],
      ${numbers.map((entry) => entry.card_id)}::uuid[],
      ${numbers.map((entry) => entry.operation_id)}::uuid[],
      ${numbers.map((entry) => entry.assigned_by)}::uuid[]
    ) as n`.execute(tx);
};
