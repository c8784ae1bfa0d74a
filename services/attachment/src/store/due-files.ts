import { sql } from 'kysely';
import type { StoredFile } from '../domain/file.ts';
import type { Tx } from './database.ts';
import { toStored } from './files.ts';

interface Take {
  now: Date;
  /** When it is due again should we not come back. */
  until: Date;
  status: 'pending' | 'scanning';
}

/** A file whose turn it is, and how often its turn was before. */
export type DueFile = StoredFile & { attempts: number };

/** Takes the file that is due longest, unless another instance has it. */
export const takeDueFile = async (tx: Tx, { now, until, status }: Take): Promise<DueFile | undefined> => {
  const row = await tx
    .updateTable('files')
    .set((eb) => ({ due_at: until, attempts: eb('attempts', '+', 1) }))
    .where(sql<boolean>`(workspace_id, id) = (
      select workspace_id, id from files where due_at <= ${now} and status = ${status}
      order by due_at limit 1 for update skip locked)`)
    .returningAll()
    .executeTakeFirst();
  return row && { ...toStored(row), attempts: row.attempts - 1 };
};

/** Puts a file off. */
export const putOff = async (tx: Tx, { workspace_id, id }: StoredFile, until: Date): Promise<void> => {
  await tx
    .updateTable('files')
    .set({ due_at: until })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('due_at', 'is not', null)
    .execute();
};
