import { appendEvents } from '@cardinal/db';
import type { Edge } from '../domain/cycle.ts';
import { type ChangeEvent, changeEvent } from '../events/change-event.ts';
import type { Tx } from '../store/database.ts';
import { deleteEdge } from '../store/edges.ts';
import { lockWorkspace, saveWorkspace } from '../store/workspaces.ts';

/**
 * Removes a dependency under the workspace's lock. The order stays as it is: what was free of contradictions is so with
 * one dependency less.
 * @returns the event that tells of it; undefined where there was nothing to remove
 */
export const removeEdge = async (
  tx: Tx,
  workspaceId: string,
  edge: Edge,
  now: Date,
): Promise<ChangeEvent | undefined> => {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (!(await deleteEdge(tx, workspaceId, edge))) return undefined;
  const version = workspace.lastChange + 1;
  const event = changeEvent(workspaceId, { ...edge, exists: false, version }, now);
  await saveWorkspace(tx, { ...workspace, lastChange: version });
  await appendEvents(tx, [event]);
  return event;
};
