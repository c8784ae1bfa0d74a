import { dependencyChanged, type InternalEventOf } from '@cardinal/contracts';
import { v7 } from 'uuid';

/** What the dependency service says when a card begins or ceases to wait for another one. */
export const dependencyEvent = (
  workspace_id: string,
  [card_id, depends_on_card_id]: [string, string],
  { exists = true, version = 1 } = {},
): InternalEventOf<typeof dependencyChanged> => ({
  id: v7(),
  type: dependencyChanged.type,
  version: dependencyChanged.version,
  occurred_at: new Date().toISOString(),
  workspace_id,
  request_id: 'test',
  aggregate_id: card_id,
  aggregate_version: version,
  data: { card_id, depends_on_card_id, exists },
});
