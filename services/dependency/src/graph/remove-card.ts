import { appendEvents } from '@cardinal/db';
import { changeEvent } from '../events/change-event.ts';
import { buryCard } from '../store/cards.ts';
import type { Tx } from '../store/database.ts';
import { deleteEdgesOf } from '../store/edges.ts';
import { lockWorkspace, saveWorkspace } from '../store/workspaces.ts';

/**
 * Takes a deleted card out of the graph, under the workspace's lock: its dependencies go, and a tombstone keeps out those
 * that are still on their way.
 */
export const removeCard = async (tx: Tx, workspaceId: string, cardId: string, now: Date): Promise<void> => {
  const workspace = await lockWorkspace(tx, workspaceId);
  await buryCard(tx, workspaceId, cardId, now);
  const edges = await deleteEdgesOf(tx, workspaceId, cardId);
  const events = edges.map((edge, index) =>
    changeEvent(workspaceId, { ...edge, exists: false, version: workspace.lastChange + 1 + index }, now),
  );
  // The tombstone is a change too: who read the graph before must not add to it what it keeps out.
  await saveWorkspace(tx, { ...workspace, lastChange: workspace.lastChange + Math.max(edges.length, 1) });
  await appendEvents(tx, events);
};
