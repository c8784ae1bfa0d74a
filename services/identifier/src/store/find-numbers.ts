import { type Kysely, sql } from 'kysely';
import type { DB } from './tables.gen.ts';

/** A number as it is written in an identifier, inside its workspace. */
export interface NumberKey {
  workspace_id: string;
  prefix: string;
  number: number;
}

/** Whose a number is. */
export interface NumberOwner extends NumberKey {
  card_id: string;
  operation_id: string;
  state: 'pending' | 'issued';
}

/** Finds who was given each number; numbers that were never given out are left out. */
export const findNumbers = async (tx: Kysely<DB>, keys: NumberKey[]): Promise<NumberOwner[]> => {
  const { rows } = await sql<NumberOwner>`
    select i.workspace_id, i.prefix, i.number, i.card_id, i.operation_id, i.state
    from identifiers i
    join unnest(
      ${keys.map((key) => key.workspace_id)}::uuid[],
      ${keys.map((key) => key.prefix)}::text[],
      ${keys.map((key) => key.number)}::bigint[]
    ) as k (workspace_id, prefix, number)
      on i.workspace_id = k.workspace_id and i.prefix = k.prefix and i.number = k.number`.execute(tx);
  return rows;
};
