import { createFollowedFeeds, createInternalEvents } from '@cardinal/db';
import type { Kysely } from 'kysely';

/** What other services take of changes, and how far the projections here have theirs (ADR 0073). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createInternalEvents(db);
  await createFollowedFeeds(db);
}
