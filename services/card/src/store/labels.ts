import type { Label } from '@cardinal/contracts';
import { readPageRows } from '@cardinal/db';
import type { OpenPage } from '@cardinal/runtime';
import type { Selectable } from 'kysely';
import type { Reader, Tables, Tx } from './database.ts';

export type LabelRow = Selectable<Tables['labels']>;

const labels = (tx: Reader, workspaceId: string) =>
  tx.selectFrom('labels').selectAll().where('workspace_id', '=', workspaceId);

/** Reads a label. */
export const findLabel = (tx: Reader, workspaceId: string, id: string): Promise<LabelRow | undefined> =>
  labels(tx, workspaceId).where('id', '=', id).executeTakeFirst();

/**
 * Keeps a label from being deleted before the transaction ends; several writers may at once. Labels are locked before
 * cards, by whoever puts one on a card and by whoever takes it off all of them.
 * @returns whether there is such a label
 */
export const keepLabel = async (tx: Tx, workspaceId: string, id: string): Promise<boolean> =>
  (await labels(tx, workspaceId).where('id', '=', id).forKeyShare().executeTakeFirst()) !== undefined;

/** Locks a label to change it. */
export const lockLabel = (tx: Tx, workspaceId: string, id: string): Promise<LabelRow | undefined> =>
  labels(tx, workspaceId).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** Locks a label to delete it: nobody puts it on a card any more. */
export const lockLabelToDelete = (tx: Tx, workspaceId: string, id: string): Promise<LabelRow | undefined> =>
  labels(tx, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst();

/** Writes a new label. */
export const insertLabel = (tx: Tx, row: LabelRow): Promise<LabelRow> =>
  tx.insertInto('labels').values(row).returningAll().executeTakeFirstOrThrow();

/** Writes what changed of a locked label. */
export const saveLabel = (
  tx: Tx,
  { workspace_id, id, version, name, color, updated_at }: LabelRow,
): Promise<LabelRow> =>
  tx
    .updateTable('labels')
    .set({ version, name, color, updated_at })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Deletes a locked label that no card carries. */
export const deleteLabelRow = async (tx: Tx, { workspace_id, id }: LabelRow): Promise<void> => {
  await tx.deleteFrom('labels').where('workspace_id', '=', workspace_id).where('id', '=', id).execute();
};

/** Reads a page of labels in the order in which they were made: their ids are ordered by time. */
export const listLabels = (
  tx: Reader,
  workspaceId: string,
  { limit, after }: OpenPage<[id: string]>,
): Promise<LabelRow[]> =>
  readPageRows(
    tx,
    labels(tx, workspaceId)
      .$if(after !== undefined, (query) => query.where('id', '>', after?.[0] as string))
      .orderBy('id'),
    { limit },
  );

/** The label as clients see it. */
export const toLabel = (row: LabelRow): Label => ({
  id: row.id,
  type: 'label',
  version: row.version,
  name: row.name,
  color: row.color,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
