import { createInternalEvents } from '@cardinal/db';
import type { Kysely } from 'kysely';

/** What other services take of changes (ADR 0073). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createInternalEvents(db);
}
