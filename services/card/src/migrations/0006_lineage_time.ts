import { addLineageTime } from '@cardinal/db';
import type { Kysely } from 'kysely';

/** How old this database is, where the register knows nothing of it (ADR 0071). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addLineageTime(db);
}
