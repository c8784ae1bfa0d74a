import { appendEvents } from '@cardinal/db';
import type { Edge } from '../domain/cycle.ts';
import { type ChangeEvent, changeEvent } from '../events/change-event.ts';
import { findCards } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { deleteEdge } from '../store/edges.ts';
import { lockWorkspace, saveWorkspace } from '../store/workspaces.ts';

/**
 * Removes a dependency under the workspace's lock. The order stays as it is: what was free of contradictions is so with
 * one dependency less.
 * @returns what tells the projection that it is not there as of the workspace's last change; undefined where it never
 * can have been, or went with one of its cards
 */
export const removeEdge = async (
  tx: Tx,
  workspaceId: string,
  edge: Edge,
  now: Date,
): Promise<ChangeEvent | undefined> => {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (await deleteEdge(tx, workspaceId, edge)) {
    const version = workspace.lastChange + 1;
    const event = changeEvent(workspaceId, { ...edge, exists: false, version }, now);
    await saveWorkspace(tx, { ...workspace, lastChange: version });
    await appendEvents(tx, [event]);
    return event;
  }
  if (!(await mayHaveBeen(tx, workspaceId, edge))) return undefined;
  // Told again, and by no event: whoever removed it may not have come that far.
  return changeEvent(workspaceId, { ...edge, exists: false, version: workspace.lastChange }, now);
};

/** Only cards in the order ever had a dependency; the projection keeps a word of each pair that it is told of. */
const mayHaveBeen = async (tx: Tx, workspaceId: string, { card_id, depends_on_card_id }: Edge): Promise<boolean> => {
  const ends = [card_id, depends_on_card_id];
  const cards = await findCards(tx, workspaceId, ends);
  return ends.every((id) => cards.get(id)?.position !== undefined);
};
