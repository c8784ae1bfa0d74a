import type { Transaction } from '@cardinal/db';
import type { NewRefusal } from '../domain/allocation.ts';
import type { DB } from './tables.gen.ts';

/** Remembers refused operations; an unknown workstream has no row to lock, so two may write the same refusal at once. */
export const insertRefusals = async (tx: Transaction<DB>, refusals: NewRefusal[], now: Date): Promise<void> => {
  await tx
    .insertInto('refusals')
    .values(refusals.map((refusal) => ({ ...refusal, created_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};
