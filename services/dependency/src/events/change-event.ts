import { dependencyChanged, type EventOf } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { Edge } from '../domain/cycle.ts';

export type ChangeEvent = EventOf<typeof dependencyChanged>;

/** Whether a dependency exists, as of the workspace's change of that number. */
export interface EdgeState extends Edge {
  exists: boolean;
  version: number;
}

/**
 * The event that tells of a dependency's state.
 * @param requestId of the request that made it so; the current one where left out
 */
export const changeEvent = (
  workspaceId: string,
  state: EdgeState,
  now: Date,
  requestId = currentContext()?.requestId,
): ChangeEvent => {
  const id = v7();
  return {
    id,
    type: dependencyChanged.type,
    version: dependencyChanged.version,
    occurred_at: now.toISOString(),
    workspace_id: workspaceId,
    request_id: requestId ?? id,
    aggregate_id: state.card_id,
    aggregate_version: state.version,
    data: { card_id: state.card_id, depends_on_card_id: state.depends_on_card_id, exists: state.exists },
  };
};
