import { createFollowedFeeds, createInternalEvents } from '@cardinal/db';
import type { Kysely } from 'kysely';

/**
 * Creates the internal events for projections of other services, and the positions of the projections here (ADR 0073).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createInternalEvents(db);
  await createFollowedFeeds(db);
}
