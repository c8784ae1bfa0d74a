import type { Subtask } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import type { Insertable, Selectable } from 'kysely';
import type { Reader, Tables, Tx } from './database.ts';
import type { KeptLink } from './linked-files.ts';

export type SubtaskRow = Selectable<Tables['subtasks']>;

const subtasks = (tx: Reader, workspaceId: string) =>
  tx.selectFrom('subtasks').selectAll().where('workspace_id', '=', workspaceId);

/** Reads a subtask. Whoever holds its card's row lock reads the last state of it. */
export const findSubtask = (tx: Reader, workspaceId: string, id: string): Promise<SubtaskRow | undefined> =>
  subtasks(tx, workspaceId).where('id', '=', id).executeTakeFirst();

/** Writes a new subtask. */
export const insertSubtask = (tx: Tx, row: Insertable<Tables['subtasks']>): Promise<SubtaskRow> =>
  tx.insertInto('subtasks').values(row).returningAll().executeTakeFirstOrThrow();

/** Writes what changed of a subtask. */
export const saveSubtask = async (tx: Tx, row: SubtaskRow): Promise<void> => {
  await tx
    .updateTable('subtasks')
    .set({
      version: row.version,
      title: row.title,
      completed_at: row.completed_at,
      position: row.position,
      updated_at: row.updated_at,
    })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.id)
    .execute();
};

/** Deletes a subtask. */
export const deleteSubtaskRow = async (tx: Tx, { workspace_id, id }: SubtaskRow): Promise<void> => {
  await tx.deleteFrom('subtasks').where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
};

/**
 * Reads a page of the subtasks of a card in the order of their positions.
 * @param afterPosition where the page before ended
 */
export const listSubtasks = (
  tx: Reader,
  workspaceId: string,
  cardId: string,
  { afterPosition, limit }: { afterPosition: number | undefined; limit: number },
): Promise<SubtaskRow[]> =>
  readPageRows(
    tx,
    subtasks(tx, workspaceId)
      .where('card_id', '=', cardId)
      .$if(afterPosition !== undefined, (query) => query.where('position', '>', afterPosition as number))
      .orderBy('position'),
    { limit },
  );

/**
 * The subtask as clients see it.
 * @param seen boards that the caller sees: a linked file of another one is not shown
 */
export const toSubtask = (row: SubtaskRow, seen: ReadonlySet<string> = new Set()): Subtask => ({
  id: row.id,
  type: 'subtask',
  version: row.version,
  card_id: row.card_id,
  title: row.title,
  completed_at: row.completed_at?.toISOString() ?? null,
  position: row.position,
  linked_file: toLinkedFile(row.linked_file as KeptLink, seen),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const toLinkedFile = (kept: KeptLink, seen: ReadonlySet<string>): Subtask['linked_file'] =>
  kept && (kept.board_id === null || seen.has(kept.board_id)) ? { id: kept.id, name: kept.name } : null;
