import { type EventOf, type Workstream, workstreamChanged } from '@cardinal/contracts';
import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';

/** The event that tells of a workstream's new state. */
export const workstreamEvent = (
  workspaceId: string,
  workstream: Workstream,
  now: Date,
): EventOf<typeof workstreamChanged> => {
  const id = v7();
  return {
    id,
    type: workstreamChanged.type,
    version: workstreamChanged.version,
    occurred_at: now.toISOString(),
    workspace_id: workspaceId,
    request_id: currentContext()?.requestId ?? id,
    aggregate_id: workstream.id,
    aggregate_version: workstream.version,
    data: workstream,
  };
};
