import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** What is known of a card: its place, or that it was deleted. */
export interface KnownCard {
  position: number | undefined;
  deleted: boolean;
}

/** Reads cards by id; those that never had a dependency and were not deleted are unknown. */
export const findCards = async (tx: Tx, workspaceId: string, ids: string[]): Promise<Map<string, KnownCard>> => {
  const rows = await tx
    .selectFrom('cards')
    .select(['id', 'position', 'deleted_at'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`id = any (${ids}::uuid[])`)
    .execute();
  return new Map(
    rows.map(({ id, position, deleted_at }) => [id, { position: position ?? undefined, deleted: deleted_at !== null }]),
  );
};

/** Remembers that a card was deleted; its place is free again. */
export const buryCard = async (tx: Tx, workspaceId: string, id: string, deletedAt: Date): Promise<void> => {
  await tx
    .insertInto('cards')
    .values({ workspace_id: workspaceId, id, position: null, deleted_at: deletedAt })
    .onConflict((on) => on.columns(['workspace_id', 'id']).doUpdateSet({ position: null, deleted_at: deletedAt }))
    .execute();
};
