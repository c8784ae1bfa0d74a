import { addLineageTime } from '@cardinal/db';
import type { Kysely } from 'kysely';

/** Stores the time of the last write, which gives the age of this database where the register is lost (ADR 0071). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addLineageTime(db);
}
