import { dependencyChanged } from '@cardinal/contracts';
import { newEvent } from '@cardinal/db';
import type { Edge } from './rules.ts';

/**
 * The event that tells whether a dependency exists, as of the workspace's change of that number.
 * @param requestId of the request that made it so; the current one where left out
 */
export const changeEvent = (
  workspaceId: string,
  { card_id, depends_on_card_id, exists, version }: Edge & { exists: boolean; version: number },
  now: Date,
  requestId?: string,
) =>
  newEvent(dependencyChanged, {
    workspaceId,
    aggregate: { id: card_id, version },
    data: { card_id, depends_on_card_id, exists },
    now,
    requestId,
  });
