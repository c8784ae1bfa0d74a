import type { Bounds } from '../domain/order.ts';
import type { Tx } from './database.ts';

/** What a workspace's lock guards: its graph, and the number of the last change to it. */
export interface LockedWorkspace {
  id: string;
  lastChange: number;
  bounds: Bounds;
}

/**
 * Locks a workspace's graph until the transaction ends. Whatever belongs to it is read in a later statement: one that
 * waited for the lock would see the rest as it was when it began.
 */
export const lockWorkspace = async (tx: Tx, id: string): Promise<LockedWorkspace> => {
  const row = await lock(tx, id);
  if (row) return row;
  await tx
    .insertInto('workspaces')
    .values({ workspace_id: id })
    .onConflict((on) => on.doNothing())
    .execute();
  return (await lock(tx, id)) as LockedWorkspace;
};

const lock = async (tx: Tx, id: string): Promise<LockedWorkspace | undefined> => {
  const row = await tx
    .selectFrom('workspaces')
    .select(['last_change', 'first_position', 'last_position'])
    .where('workspace_id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && { id, lastChange: row.last_change, bounds: { first: row.first_position, last: row.last_position } };
};

/** Writes the state of a locked workspace. */
export const saveWorkspace = async (tx: Tx, { id, lastChange, bounds }: LockedWorkspace): Promise<void> => {
  await tx
    .updateTable('workspaces')
    .set({ last_change: lastChange, first_position: bounds.first, last_position: bounds.last })
    .where('workspace_id', '=', id)
    .execute();
};
