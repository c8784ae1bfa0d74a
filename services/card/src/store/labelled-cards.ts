import { sql } from 'kysely';
import type { EventCard } from '../domain/events.ts';
import type { Tx } from './database.ts';

/**
 * Locks the cards that carry a label. The label is locked against being put on others. It passes all cards of the
 * workspace: labels are rarely deleted, and an index over label ids would be paid for by every card made.
 * @returns their ids
 */
export const lockLabelled = async (tx: Tx, workspaceId: string, labelId: string): Promise<string[]> => {
  const rows = await tx
    .selectFrom('cards')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`${labelId}::uuid = any (label_ids)`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
};

/**
 * Takes a label off locked cards, whose versions rise by one.
 * @returns what their events tell
 */
export const takeLabelOff = async (
  tx: Tx,
  workspaceId: string,
  cardIds: readonly string[],
  labelId: string,
  now: Date,
): Promise<EventCard[]> => {
  const rows = await tx
    .updateTable('cards')
    .set((eb) => ({
      label_ids: sql<string[]>`array_remove(label_ids, ${labelId}::uuid)`,
      version: eb('version', '+', 1),
      updated_at: now,
    }))
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`id = any (${cardIds}::uuid[])`)
    .returning(['id', 'version', 'board_id', 'title', 'identifier', 'workstream_id', 'completed_at', 'archived_at'])
    .execute();
  return rows.map(({ workstream_id, completed_at, archived_at, ...row }) => ({
    ...row,
    workstream: { id: workstream_id },
    completed_at: completed_at?.toISOString() ?? null,
    archived_at: archived_at?.toISOString() ?? null,
  }));
};
