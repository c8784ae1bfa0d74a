import type { projectCardDeleted as contract } from '@cardinal/contracts';
import { applyOnce } from '@cardinal/db';
import { removeCard } from '../graph/remove-card.ts';
import type { Handler, Parts } from '../parts.ts';

/** Takes a deleted card out of its workspace's graph, before its writer is answered or when the stream tells of it. */
export const projectCardDeletedHandler =
  ({ db, relay, inTurn, now }: Parts): Handler<typeof contract> =>
  async (event) => {
    const { workspace_id, aggregate_id } = event;
    const applied = await inTurn(workspace_id, () =>
      db.transaction((tx) => applyOnce(tx, event, () => removeCard(tx, workspace_id, aggregate_id, now()))),
    );
    if (applied) relay.nudge();
    return { applied };
  };
