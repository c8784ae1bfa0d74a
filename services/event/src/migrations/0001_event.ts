import { createCommandLog, createDeadLetters, createOutbox } from '@cardinal/db';
import type { Kysely } from 'kysely';

/** What every service has that answers commands and takes events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createOutbox(db);
  await createDeadLetters(db);
  await createCommandLog(db);
}
