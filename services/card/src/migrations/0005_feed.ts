import { createFeed } from '@cardinal/db';
import type { Kysely } from 'kysely';

/** Creates the feed of changes (ARCHITECTURE, "Feeds"). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createFeed(db);
}
