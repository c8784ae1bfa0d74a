import type { Selectable } from 'kysely';
import type { Tables, Tx } from '../database.ts';
import { insertRows } from '../insert-rows.ts';
import type { Operation } from './operation.ts';

/** Stores prepared operations. At most one of a card may be pending; the card's row lock sees to it. */
export const insertOperations = (tx: Tx, operations: readonly Operation[]): Promise<void> =>
  insertRows(tx, 'operations', operations as unknown as Selectable<Tables['operations']>[]);
